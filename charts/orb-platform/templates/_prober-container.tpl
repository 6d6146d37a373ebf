{{- define "orb.proberArgs" -}}
{{- $tls := include "orb.apiTls" . }}
- status-prober
- --namespace={{ .Release.Namespace }}
- --api={{ include "orb.apiUrl" . }}
{{- if $tls }}
- --api-ca-file=/etc/orb/tls/ca.crt
{{- else }}
- --behind-tls-proxy
{{- end }}
- --api-metrics=http://{{ include "orb.fullname" . }}-api-counts.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}:9464
{{- with .Values.prometheus.url }}
- --operator-metrics={{ include "orb.fullname" $ }}-operator-metrics.{{ $.Release.Namespace }}.svc.{{ $.Values.clusterDomain }}:9465
- {{ printf "--control-prometheus=%s" . | quote }}
{{- end }}
- --control-dns=kubernetes.default.svc.{{ .Values.clusterDomain }}
- --token-file=/var/run/secrets/orb/token
{{- if include "orb.checksIngestion" . }}
- --source-secret-file=/etc/orb/canary/secret
{{- end }}
- --interval={{ .Values.statusProber.interval }}
- --deadline={{ .Values.statusProber.deadline }}
- --journal=/journal
- --listen={{ .Values.listenAddress }}:8443
- --provider-listen={{ .Values.listenAddress }}:8444
- --metrics-listen={{ .Values.listenAddress }}:9464
- --tls-cert=/etc/orb/canary-tls/tls.crt
- --tls-key=/etc/orb/canary-tls/tls.key
- --log-level={{ .Values.logLevel }}
{{- end }}

{{- define "orb.statusProber.startupProbe" -}}
httpGet: { path: /livez, port: 8443, scheme: {{ ternary "HTTPS" "HTTP" (not (empty (include "orb.apiTls" .))) }} }
periodSeconds: 1
failureThreshold: 60
{{- end }}

{{- define "orb.statusProber.livenessProbe" -}}
httpGet: { path: /livez, port: 8443, scheme: {{ ternary "HTTPS" "HTTP" (not (empty (include "orb.apiTls" .))) }} }
periodSeconds: 10
timeoutSeconds: 5
{{- end }}

{{- define "orb.statusProber.readinessProbe" -}}
httpGet: { path: /readyz, port: 8443, scheme: {{ ternary "HTTPS" "HTTP" (not (empty (include "orb.apiTls" .))) }} }
periodSeconds: 5
timeoutSeconds: 3
{{- end }}
