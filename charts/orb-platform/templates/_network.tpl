{{/* Egress rules to the API servers. Network policies see their addresses, not that of the Service. */}}
{{- define "orb.kubernetesApiEgress" -}}
{{- $settings := .Values.networkPolicy.kubernetesApi -}}
{{- $cidrs := $settings.cidrs -}}
{{- $ports := list -}}
{{- range $settings.ports -}}{{- $ports = append $ports (int .) -}}{{- end -}}
{{- if not $cidrs -}}
{{- $slice := lookup "discovery.k8s.io/v1" "EndpointSlice" "default" "kubernetes" -}}
{{- range $slice.endpoints -}}
{{- range .addresses -}}
{{- $cidrs = append $cidrs (printf "%s/%s" . (ternary "128" "32" (contains ":" .))) -}}
{{- end -}}
{{- end -}}
{{- if $cidrs -}}
{{- range $slice.ports -}}{{- $ports = append $ports (int .port) -}}{{- end -}}
{{- end -}}
{{- end -}}
- to:
    {{- range $cidrs | default (list "10.0.0.0/8" "172.16.0.0/12" "192.168.0.0/16" "fc00::/7") | uniq }}
    - ipBlock: { cidr: {{ . }} }
    {{- end }}
  ports:
    {{- range $ports | uniq }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end }}

{{- define "orb.dnsEgress" -}}
- to: {{ toYaml .Values.networkPolicy.dns.peers | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - { protocol: UDP, port: {{ . }} }
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end }}

{{- define "orb.prometheusEgress" -}}
{{- if .Values.prometheus.url }}
- to: {{ toYaml .Values.networkPolicy.prometheus.peers | nindent 4 }}
  ports:
    {{- range .Values.networkPolicy.prometheus.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end }}
{{- end }}

{{/* Ingress rule for scrapers of metrics. An empty list of peers would allow every source. */}}
{{- define "orb.metricsIngress" -}}
{{- with .Values.networkPolicy.prometheus.peers }}
- from: {{ toYaml . | nindent 4 }}
  ports:
    - { protocol: TCP, port: metrics }
{{- end }}
{{- end }}

{{/* Egress rules to providers. The network also refuses the addresses that the API refuses. */}}
{{- define "orb.providerEgress" -}}
{{- $denied := list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "168.63.129.16/32" "169.254.0.0/16" "172.16.0.0/12" "192.0.0.0/24" "192.0.2.0/24" "192.31.196.0/24" "192.52.193.0/24" "192.88.99.0/24" "192.168.0.0/16" "192.175.48.0/24" "198.18.0.0/15" "198.51.100.0/24" "203.0.113.0/24" "224.0.0.0/4" "240.0.0.0/4" -}}
{{- $denied6 := list "2001::/23" "2001:db8::/32" "2002::/16" "2620:4f:8000::/48" "3fff::/20" -}}
{{- range .Values.networkPolicy.deniedCidrs -}}
{{- if not (contains ":" .) }}{{ $denied = append $denied . -}}
{{- /* Elsewhere nothing is let through, and an exception must lie in its range. */ -}}
{{- else if regexMatch "^[23][0-9a-fA-F]{3}:" . }}{{ $denied6 = append $denied6 . }}{{ end -}}
{{- end -}}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: {{ toYaml $denied | nindent 10 }}
    - ipBlock:
        cidr: 2000::/3
        except: {{ toYaml $denied6 | nindent 10 }}
  ports:
    - { protocol: TCP, port: 443 }
{{- range include "orb.exceptions" . | fromJsonArray }}
- to:
    {{- with .cidr }}
    - ipBlock: { cidr: {{ . }} }
    {{- end }}
    {{- if or .podSelector .namespaceSelector }}
    - podSelector: {{ toYaml (.podSelector | default dict) | nindent 8 }}
      {{- with .namespaceSelector }}
      namespaceSelector: {{ toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
  ports:
    - { protocol: TCP, port: {{ include "orb.originPort" . }} }
{{- end }}
{{- end }}

{{/* Port of an exception: its own, else that of the origin. */}}
{{- define "orb.originPort" -}}
{{- $url := urlParse .origin -}}
{{- $written := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- .port | default $written | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end }}
