{{/*
Key, certificate and authority of the example's provider, as JSON. They are made once: what a release already has is kept,
and a render without a cluster makes others. Computed once for each render.
*/}}
{{- define "orb.exampleTls" -}}
{{- if not (hasKey .Values.example "made") -}}
{{- $secret := lookup "v1" "Secret" .Values.example.namespace "orb-example-tls" -}}
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
What of the example needs the operator comes after it, as a hook: the definitions may be of the same release, and Helm would
look for kinds that are not there yet; and the operator of before would judge an Orb whose origin only the new one lets
through. Hooks are applied server-side, so that what is there stays; they go with their namespace.
*/}}
{{- define "orb.exampleMetadata" -}}
labels:
  {{- include "orb.labels" (dict "root" . "component" "example") | nindent 2 }}
annotations:
  helm.sh/hook: post-install,post-upgrade,post-rollback
  # Any policy but the usual one, which deletes what is there before.
  helm.sh/hook-delete-policy: hook-failed
{{- end }}
