{{/* What a pod needs to call the API: its address, and the CA of its certificate if the Secret contains it. */}}
{{- define "orb.callerEnvironment" -}}
- { name: ORB_SERVER, value: {{ include "orb.apiUrl" . | quote }} }
{{- if include "orb.apiTls" . }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/orb/tls/ca.crt }
{{- end }}
{{- end }}

{{- define "orb.callerMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if include "orb.apiTls" . }}
- { name: tls, mountPath: /etc/orb/tls, readOnly: true }
{{- end }}
{{- end }}

{{- define "orb.callerVolumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 16Mi } }
{{- if include "orb.apiTls" . }}
- name: tls
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ include "orb.tlsSecret" . | quote }}
          optional: true
          items: [{ key: ca.crt, path: ca.crt }]
{{- end }}
{{- end }}

{{- define "orb.testAnnotations" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
