{{/* The name by which the API calls the canary's provider; pods resolve it without search domains (ndots 1). */}}
{{- define "orb.canaryHost" -}}
{{ include "orb.fullname" . }}-canary.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* Names of the prober in its certificate, as a JSON list. */}}
{{- define "orb.proberHosts" -}}
{{- $service := printf "%s-status-prober" (include "orb.fullname" .) -}}
{{- $name := printf "%s.%s" $service .Release.Namespace -}}
{{ list (include "orb.canaryHost" .) (printf "%s.svc.%s" $name .Values.clusterDomain) (printf "%s.svc" $name) $name $service | toJson }}
{{- end }}

{{/* Address of the prober's pages for a caller in the cluster. */}}
{{- define "orb.proberUrl" -}}
{{ ternary "https" "http" (not (empty (include "orb.apiTls" .))) }}://{{ include "orb.fullname" . }}-status-prober.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:{{ include "orb.proberPort" . }}
{{- end }}

{{- define "orb.proberPort" -}}
{{ ternary 443 80 (not (empty (include "orb.apiTls" .))) }}
{{- end }}

{{/* Whether the platform checks that webhooks are received: "true" where the API has the routes. */}}
{{- define "orb.checksIngestion" -}}
{{- if and .Values.statusProber.enabled (has "ingestion" .Values.services) }}true{{ end }}
{{- end }}

{{/* Whether Ingress and HTTPRoute send the pages of the status to the prober. */}}
{{- define "orb.routesStatus" -}}
{{- if and .Values.statusProber.enabled .Values.statusProber.route }}true{{ end }}
{{- end }}

{{/* Network peers: the pods of the prober. */}}
{{- define "orb.proberPeer" -}}
- podSelector:
    matchLabels: {{ include "orb.selector" (dict "root" . "component" "status-prober") | nindent 6 }}
{{- end }}

{{/*
Objects of the canary that need the operator are hooks, so they come after it: the definitions may be in the same release, and
Helm would look for kinds that do not exist yet. Hooks are applied server-side, which keeps existing objects.
*/}}
{{- define "orb.canaryMetadata" -}}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "orb.labels" (dict "root" . "component" "status-prober") | nindent 2 }}
annotations:
  helm.sh/hook: post-install,post-upgrade,post-rollback
  # Not the default policy, which deletes the existing object first.
  helm.sh/hook-delete-policy: hook-failed
{{- end }}
