{{/* Label of what the release is: `nameOverride`, else the name of this chart. */}}
{{- define "orb.name" -}}
{{ .Values.nameOverride | default "orb-platform" }}
{{- end }}

{{/* What names of objects begin with. Their longest end has 22 characters, and a Service has at most 63. */}}
{{- define "orb.fullname" -}}
{{- $name := "orb" -}}
{{- if .Values.fullnameOverride -}}
{{- $name = .Values.fullnameOverride -}}
{{- else if .Values.nameOverride -}}
{{- $name = contains .Values.nameOverride .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Values.nameOverride) -}}
{{- end -}}
{{ $name | replace "." "-" | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* The chart's name with its version, as a label may hold it. */}}
{{- define "orb.chart" -}}
{{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Selector labels of pods. Without the version, because selectors of a Deployment are immutable. (root, component) */}}
{{- define "orb.selector" -}}
app.kubernetes.io/name: {{ include "orb.name" .root | toYaml }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Labels of an object. (root, component; more: labels of its kind only) */}}
{{- define "orb.labels" -}}
{{ toYaml (merge (include "orb.selector" . | fromYaml) (include "orb.releaseLabels" . | fromYaml)) }}
{{- end }}

{{/* The same without a component. (root, more) */}}
{{- define "orb.releaseLabels" -}}
{{- $own := dict
  "app.kubernetes.io/version" .root.Chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
  "app.kubernetes.io/part-of" "orb-platform"
  "helm.sh/chart" (include "orb.chart" .root) -}}
{{ toYaml (merge $own (.more | default dict) (.root.Values.commonLabels | default dict)) }}
{{- end }}

{{/* Labels of a pod. Without the chart version, so that a new chart alone restarts no pod. (root, component; more: of this pod only) */}}
{{- define "orb.podLabels" -}}
{{- $own := omit (include "orb.releaseLabels" . | fromYaml) "app.kubernetes.io/managed-by" "helm.sh/chart" -}}
{{ toYaml (merge (include "orb.selector" . | fromYaml) $own) }}
{{- end }}

{{- define "orb.image" -}}
{{- $registry := .Values.global.imageRegistry | default .Values.image.registry -}}
{{- $name := ternary .Values.image.repository (printf "%s/%s" $registry .Values.image.repository) (empty $registry) -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" $name .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" $name (.Values.image.tag | default .Chart.AppVersion) }}
{{- end -}}
{{- end }}

{{/* Image, pull policy and minimal rights: Pod Security "restricted". */}}
{{- define "orb.container" -}}
image: {{ include "orb.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
{{- $context := .Values.containerSecurityContext }}
securityContext: {{ toYaml (empty $context.seLinuxOptions | ternary (omit $context "seLinuxOptions") $context) | nindent 2 }}
{{- end }}

{{/* Settings of every pod. The including template decides whether the pod gets a Kubernetes API token. */}}
{{- define "orb.pod" -}}
enableServiceLinks: false
{{- $context := .Values.podSecurityContext }}
securityContext: {{ toYaml (empty $context.supplementalGroups | ternary (omit $context "supplementalGroups") $context) | nindent 2 }}
dnsConfig:
  options:
    - { name: ndots, value: '1' }
    # A lost packet must cost less than the 3 s that a provider's connection may take; the default is 5 s.
    - { name: timeout, value: '1' }
    - { name: attempts, value: '3' }
{{- with concat .Values.global.imagePullSecrets .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "map" . | ternary (get (kindIs "map" . | ternary . dict) "name") . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where a pod may run. (values of the component) */}}
{{- define "orb.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- include "orb.nodes" . }}
{{- end }}

{{/* The same without a priority class, for pods that may wait. (values of the component) */}}
{{- define "orb.nodes" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Variables of a container. (root, own: values of the component) */}}
{{- define "orb.environment" -}}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: POD_UID
  valueFrom: { fieldRef: { fieldPath: metadata.uid } }
{{- $own := list -}}
{{- range .own.extraEnv }}{{ $own = append $own .name }}{{ end -}}
{{- range .root.Values.extraEnv }}
{{- if not (has .name $own) }}
{{ toYaml (list .) }}
{{- end }}
{{- end }}
{{- with .own.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* "true" when the API itself serves TLS. */}}
{{- define "orb.apiTls" -}}
{{- if not (or .Values.api.behindTlsProxy .Values.ingress.enabled .Values.gateway.enabled .Values.ingestion.ingress.enabled) }}true{{ end }}
{{- end }}

{{- define "orb.tlsSecret" -}}
{{ .Values.api.tls.secretName | default (printf "%s-api-tls" (include "orb.fullname" .)) }}
{{- end }}

{{/* "true" when the chart creates the certificate. */}}
{{- define "orb.selfSigned" -}}
{{- if and (include "orb.apiTls" .) (not .Values.api.tls.secretName) (not .Values.api.tls.certManager.enabled) }}true{{ end }}
{{- end }}

{{/* Names of the API in a certificate, as a JSON list. */}}
{{- define "orb.apiHosts" -}}
{{- $service := printf "%s-api" (include "orb.fullname" .) -}}
{{- $name := printf "%s.%s" $service .Release.Namespace -}}
{{- $own := list (printf "%s.svc" $name) (printf "%s.svc.%s" $name .Values.clusterDomain) $name $service "localhost" -}}
{{ concat $own .Values.api.tls.extraHosts | toJson }}
{{- end }}

{{/* Name of the claim that holds the ledger. */}}
{{- define "orb.ledgerClaim" -}}
{{ .Values.ledger.persistence.existingClaim | default (printf "%s-ledger" (include "orb.fullname" .)) }}
{{- end }}

{{- define "orb.servicePort" -}}
{{ .Values.api.service.port | default (ternary 443 80 (not (empty (include "orb.apiTls" .)))) }}
{{- end }}

{{/* Address of the API for a caller in the cluster. */}}
{{- define "orb.apiUrl" -}}
{{ ternary "https" "http" (not (empty (include "orb.apiTls" .))) }}://{{ include "orb.fullname" . }}-api.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:{{ include "orb.servicePort" . }}
{{- end }}

{{/* The full name, which pods resolve without search domains (ndots 1). */}}
{{- define "orb.exampleHost" -}}
{{ include "orb.fullname" . }}-example.{{ .Values.example.namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* Exceptions of the dialer, as a JSON list, including those of the canary and of the example. */}}
{{- define "orb.exceptions" -}}
{{- $all := .Values.egress.exceptions -}}
{{- if .Values.statusProber.enabled -}}
{{- $all = append $all (dict
  "origin" (printf "https://%s:8444" (include "orb.canaryHost" .))
  "podSelector" (dict "matchLabels" (include "orb.selector" (dict "root" . "component" "status-prober") | fromYaml))) -}}
{{- end -}}
{{- if .Values.example.enabled -}}
{{- $all = append $all (dict
  "origin" (printf "https://%s:8443" (include "orb.exampleHost" .))
  "podSelector" (dict "matchLabels" (include "orb.selector" (dict "root" . "component" "example") | fromYaml))
  "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" .Values.example.namespace))) -}}
{{- end -}}
{{ toJson $all }}
{{- end }}

{{/* Flags that operator and API share, as list items. */}}
{{- define "orb.sharedArgs" -}}
- --namespace={{ .Release.Namespace }}
- --rbac-vault={{ .Values.rbac.vault }}
- --log-level={{ .Values.logLevel }}
{{- range include "orb.exceptions" . | fromJsonArray }}
- {{ printf "--egress-allow=%s" .origin | quote }}
{{- end }}
{{- with .Values.prometheus }}
{{- if .url }}
- {{ printf "--prometheus-url=%s" .url | quote }}
- --prometheus-mode={{ .mode }}
- --prometheus-scrape-interval={{ .scrapeInterval }}
{{- with .matcher }}
- {{ printf "--prometheus-matcher=%s" . | quote }}
{{- end }}
{{- range $name, $value := .headers }}
- {{ printf "--prometheus-header=%s=%s" $name $value | quote }}
{{- end }}
{{- with .auth }}
{{- if .bearerTokenKey }}
- --prometheus-bearer-token-file=/etc/orb/prometheus/{{ .bearerTokenKey }}
{{- end }}
{{- if .username }}
- {{ printf "--prometheus-username=%s" .username | quote }}
- --prometheus-password-file=/etc/orb/prometheus/{{ .passwordKey }}
{{- end }}
{{- if .certKey }}
- --prometheus-cert=/etc/orb/prometheus/{{ .certKey }}
- --prometheus-key=/etc/orb/prometheus/{{ .keyKey }}
{{- end }}
{{- if .caKey }}
- --prometheus-ca=/etc/orb/prometheus/{{ .caKey }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "orb.prometheusMount" -}}
{{- if and .Values.prometheus.url .Values.prometheus.auth.secretName }}
- { name: prometheus, mountPath: /etc/orb/prometheus, readOnly: true }
{{- end }}
{{- end }}

{{- define "orb.prometheusVolume" -}}
{{- if and .Values.prometheus.url .Values.prometheus.auth.secretName }}
- name: prometheus
  secret: { secretName: {{ .Values.prometheus.auth.secretName | quote }} }
{{- end }}
{{- end }}

{{/* A file of this chart with the release's namespace and ServiceAccounts in its expressions and messages. (root, path) */}}
{{- define "orb.file" -}}
{{- $place := .root.Release.Namespace -}}
{{- $names := include "orb.fullname" .root -}}
{{- $text := .root.Files.Get .path | replace "orb-system" $place -}}
{{- $text = $text | replace (printf "%s:orb-" $place) (printf "%s:%s-" $place $names) -}}
{{- $text = $text | replace "name == 'orb-api'" (printf "name == '%s-api'" $names) -}}
{{ $text | replace "ServiceAccount orb-api of" (printf "ServiceAccount %s-api of" $names) }}
{{- end }}

{{/* A name of such a file in this release. (root, name) */}}
{{- define "orb.ownName" -}}
{{- if eq .name "orb-vault-reader" -}}
{{ .name }}
{{- else -}}
{{ printf "%s-%s" (include "orb.fullname" .root) (trimPrefix "orb-" .name) }}
{{- end -}}
{{- end }}

{{/* Renames an object of such a file, and what it refers to. Admission policies are one per cluster. (root, object) */}}
{{- define "orb.rename" -}}
{{- $root := .root -}}
{{- with .object -}}
{{- if not (hasPrefix "ValidatingAdmissionPolicy" .kind) -}}
{{- $_ := set .metadata "name" (include "orb.ownName" (dict "root" $root "name" .metadata.name)) -}}
{{- with .roleRef }}{{ $_ := set . "name" (include "orb.ownName" (dict "root" $root "name" .name)) }}{{ end -}}
{{- range .subjects }}{{ $_ := set . "name" (include "orb.ownName" (dict "root" $root "name" .name)) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The documents of such a file with the release's labels and, as hooks, with annotations. (root, path, annotations) */}}
{{- define "orb.objects" -}}
{{- $labels := include "orb.releaseLabels" (dict "root" .root) | fromYaml -}}
{{- $labels = set $labels "app.kubernetes.io/instance" .root.Release.Name -}}
{{- $labels = set $labels "app.kubernetes.io/name" (include "orb.name" .root) -}}
{{- $annotations := .annotations -}}
{{- $create := .root.Values.rbac.create -}}
{{- $accounts := dict -}}
{{- range $account, $group := dict "orb-operator" "operator" "orb-api" "api" "orb-status-prober" "statusProber" "orb-ledger-init" "hooks" -}}
{{- $accounts = set $accounts $account (get $.root.Values $group).serviceAccount.annotations -}}
{{- end -}}
{{- range regexSplit "(?m)^---$" (include "orb.file" .) -1 }}
{{- $object := fromYaml . }}
{{- if hasKey $object "Error" }}{{ fail $object.Error }}{{ end }}
{{- $_ := set $object.metadata "labels" (merge (dict) $labels ($object.metadata.labels | default dict)) }}
{{- $all := $annotations | default dict }}
{{- if eq $object.kind "ServiceAccount" }}
{{- $all = merge (dict) $all (get $accounts $object.metadata.name | default dict) }}
{{- end }}
{{- if $all }}{{ $_ := set $object.metadata "annotations" $all }}{{ end }}
{{- include "orb.rename" (dict "root" $.root "object" $object) }}
{{- if or $create (not (has $object.kind (list "Role" "RoleBinding" "ClusterRole" "ClusterRoleBinding"))) }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}

{{/* Command-line flag for a namespace other than the default. */}}
{{- define "orb.notesPlace" -}}
{{- if ne .Release.Namespace "orb-system" }} --platform-namespace {{ .Release.Namespace }}{{ end }}
{{- end }}
