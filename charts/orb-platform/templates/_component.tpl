{{/* Further flags of a component, refused where the chart sets the flag. (args: the chart's, extra, place) */}}
{{- define "orb.args" -}}
{{- $own := list -}}
{{- range .args | fromYamlArray }}{{ $own = append $own (regexFind "^--[a-z0-9-]+" .) }}{{ end -}}
{{- range .extra -}}
{{- $flag := regexFind "^--[a-z0-9-]+" . -}}
{{- if has $flag $own }}{{ fail (printf "%s.extraArgs: %s is set by the chart: use its value instead" $.place $flag) }}{{ end -}}
{{- end -}}
{{ .args }}
{{- with .extra }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A probe with the changes of a person. (probe, changes) */}}
{{- define "orb.probe" -}}
{{ toYaml (merge (dict) (.changes | default dict) (.probe | fromYaml)) }}
{{- end }}

{{/* Refuses variables, volumes and mounts that would hide those of the chart. (place, own: values of the component) */}}
{{- define "orb.validateComponent" -}}
{{- $place := .place -}}
{{- range .own.extraEnv -}}
{{- if has .name (list "POD_NAME" "POD_NAMESPACE" "POD_UID") }}{{ fail (printf "%s.extraEnv: %s is the chart's own: choose another name" $place .name) }}{{ end -}}
{{- end -}}
{{- $reserved := list "canary" "canary-ca" "canary-tls" "data" "egress-ca" "example-ca" "journal" "keys" "manifests" "prometheus" "tls" "tmp" "token" -}}
{{- $volumes := list -}}
{{- range .own.extraVolumes -}}
{{- if has .name $reserved }}{{ fail (printf "%s.extraVolumes: %s is the chart's own: choose another name" $place .name) }}{{ end -}}
{{- if has .name $volumes }}{{ fail (printf "%s.extraVolumes: %s is there twice" $place .name) }}{{ end -}}
{{- $volumes = append $volumes .name -}}
{{- end -}}
{{- range .own.extraVolumeMounts -}}
{{- if not (has .name $volumes) }}{{ fail (printf "%s.extraVolumeMounts: %s is no volume of %s.extraVolumes" $place .name $place) }}{{ end -}}
{{- if regexMatch "^/+($|(app|data|journal|nodejs|tmp|etc/orb|var/run/secrets)(/|$))|/\\.{1,2}(/|$)|//" .mountPath }}{{ fail (printf "%s.extraVolumeMounts: %s is a folder of the chart's: choose another one" $place .mountPath) }}{{ end -}}
{{- end -}}
{{- end }}
