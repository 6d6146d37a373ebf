{{- define "orb.operatorArgs" -}}
- operator
- --probes-listen={{ .Values.listenAddress }}:8081
- --metrics-listen={{ .Values.listenAddress }}:9465
- --workers={{ .Values.operator.workers }}
{{- include "orb.sharedArgs" . | nindent 0 }}
{{- if ne (include "orb.fullname" .) "orb" }}
- --api-service-account={{ include "orb.fullname" . }}-api
{{- end }}
{{- if .Values.operator.manifests.configMap }}
- --manifests=/etc/orb/manifests
{{- end }}
{{- end }}

{{- define "orb.operator.startupProbe" -}}
httpGet: { path: /livez, port: probes }
periodSeconds: 1
failureThreshold: 60
{{- end }}

{{- define "orb.operator.livenessProbe" -}}
httpGet: { path: /livez, port: probes }
periodSeconds: 10
timeoutSeconds: 3
{{- end }}

{{- define "orb.operator.readinessProbe" -}}
httpGet: { path: /readyz, port: probes }
periodSeconds: 2
timeoutSeconds: 3
{{- end }}
