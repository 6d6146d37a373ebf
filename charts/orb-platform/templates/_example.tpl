{{/*
Key, certificate and authority of the example's provider, as JSON. They are created once: an upgrade keeps them.
A render without a cluster creates new ones. Computed once for each render.
*/}}
{{- define "orb.exampleTls" -}}
{{- if not (hasKey .Values.example "made") -}}
{{- $secret := lookup "v1" "Secret" .Values.example.namespace (printf "%s-example-tls" (include "orb.fullname" .)) -}}
{{- if and $secret (index ($secret.data | default dict) "ca.crt") -}}
{{- $_ := set .Values.example "made" (dict "ca" (index $secret.data "ca.crt" | b64dec) "cert" (index $secret.data "tls.crt" | b64dec) "key" (index $secret.data "tls.key" | b64dec)) -}}
{{- else -}}
{{- $ca := genCAWithKey "orb-example" 3650 (genPrivateKey "ecdsa") -}}
{{- $host := include "orb.exampleHost" . -}}
{{- $cert := genSignedCertWithKey $host nil (list $host) 3650 $ca (genPrivateKey "ecdsa") -}}
{{- $_ := set .Values.example "made" (dict "ca" $ca.Cert "cert" $cert.Cert "key" $cert.Key) -}}
{{- end -}}
{{- end -}}
{{ toJson .Values.example.made }}
{{- end }}

{{/*
Objects of the example that need the operator are hooks, so they come after it. The definitions may be in the same release,
and Helm would look for kinds that do not exist yet. The previous operator would also refuse an Orb whose origin only the new
operator allows. Hooks are applied server-side, which keeps existing objects. They are deleted with their namespace.
*/}}
{{- define "orb.exampleMetadata" -}}
labels:
  {{- include "orb.labels" (dict "root" . "component" "example") | nindent 2 }}
annotations:
  helm.sh/hook: post-install,post-upgrade,post-rollback
  # Not the default policy, which deletes the existing object first.
  helm.sh/hook-delete-policy: hook-failed
{{- end }}
