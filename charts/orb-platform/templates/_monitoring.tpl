{{/* Claims of the platform, as a pattern of PromQL. A claim of a person may have any name. */}}
{{- define "orb.claimPattern" -}}
{{- $name := include "orb.fullname" . -}}
{{- $claim := .Values.ledger.persistence.existingClaim | replace "." "[.]" -}}
{{ printf "%s-.+|.+-%s-.+" $name $name }}{{ with $claim }}|{{ . }}{{ end }}
{{- end }}
