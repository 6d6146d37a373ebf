{{- define "orb.apiArgs" -}}
{{- $tls := include "orb.apiTls" . }}
- api
- --listen={{ .Values.listenAddress }}:8443
{{- if $tls }}
- --tls-cert=/etc/orb/tls/tls.crt
- --tls-key=/etc/orb/tls/tls.key
{{- else }}
- --behind-tls-proxy
{{- end }}
- --metrics-listen={{ .Values.listenAddress }}:9464
- --probes-listen={{ .Values.listenAddress }}:8081
- --data=/data
- --keys=/etc/orb/keys
{{- with .Values.api.issuer }}
- {{ printf "--issuer=%s" . | quote }}
{{- end }}
{{- range .Values.api.trustedProxies }}
- --trusted-proxy={{ . }}
{{- end }}
- --services={{ join "," .Values.services }}
- --max-request-bytes={{ int64 .Values.api.maxRequestBytes }}
{{- with .Values.api.bounds }}
- --max-connections={{ int64 .connections }}
- --max-connections-per-address={{ int64 .connectionsPerAddress }}
- --max-pipelined-requests={{ int64 .pipelinedRequests }}
- --max-unread-bytes={{ int64 .unreadBytes }}
- --max-body-bytes={{ int64 .bodyBytes }}
- --max-body-bytes-per-address={{ int64 .bodyBytesPerAddress }}
- --max-body-bytes-per-key={{ int64 .bodyBytesPerKey }}
- --max-header-bytes={{ int64 .headerBytes }}
- --max-headers={{ int64 .headers }}
- --headers-timeout={{ .headersTimeout }}
- --request-timeout={{ .requestTimeout }}
- --keep-alive={{ .keepAlive }}
{{- end }}
{{- range $limit, $rate := .Values.api.rates }}
- --rate-{{ $limit }}={{ $rate }}
{{- end }}
- --tenant-share={{ int .Values.api.tenantShare }}
- --ledger-quota={{ int64 .Values.api.ledgerQuota }}
- --reputation-interval={{ .Values.reputation.interval }}
{{- with .Values.api.policy.replayThreads }}
- --policy-replay-threads={{ int . }}
{{- end }}
- --policy-retention-decisions={{ .Values.api.policy.retention.decisions }}
- --policy-retention-replays={{ .Values.api.policy.retention.replays }}
{{- range $org, $namespace := .Values.reputation.orgs }}
- --org={{ $org }}={{ $namespace }}
{{- end }}
{{- include "orb.sharedArgs" . | nindent 0 }}
{{- if or .Values.egress.ca.secretName .Values.egress.ca.configMapName }}
- --egress-ca=/etc/orb/egress-ca/{{ .Values.egress.ca.key }}
{{- end }}
{{- if .Values.example.enabled }}
- --egress-ca=/etc/orb/example-ca/ca.crt
{{- end }}
{{- if .Values.statusProber.enabled }}
- --egress-ca=/etc/orb/canary-ca/ca.crt
{{- end }}
{{- end }}

{{- define "orb.api.startupProbe" -}}
httpGet: { path: /livez, port: probes }
periodSeconds: 1
failureThreshold: 300
{{- end }}

{{- define "orb.api.livenessProbe" -}}
httpGet: { path: /livez, port: probes }
periodSeconds: 10
timeoutSeconds: 5
{{- end }}

{{- define "orb.api.readinessProbe" -}}
httpGet: { path: /readyz, port: probes }
periodSeconds: 2
timeoutSeconds: 3
{{- end }}
