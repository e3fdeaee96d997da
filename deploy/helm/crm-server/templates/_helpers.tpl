{{- /* What several templates say. */ -}}

{{- define "crm-server.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "crm-server.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "crm-server.labels" -}}
{{ include "crm-server.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* The container of each pod: the same image, configuration and rights. */ -}}
{{- define "crm-server.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - { name: SHUTDOWN_DELAY_SECONDS, value: {{ .Values.api.shutdownDelaySeconds | quote }} }
  - { name: PUBLIC_BASE_URL, value: {{ .Values.publicBaseUrl | quote }} }
  - { name: S3_BUCKET, value: {{ .Values.s3.bucket | quote }} }
  - { name: S3_REGION, value: {{ .Values.s3.region | quote }} }
  {{- with .Values.s3.endpoint }}
  - { name: S3_ENDPOINT, value: {{ . | quote }} }
  {{- end }}
  {{- with .Values.trustedProxies }}
  - { name: TRUSTED_PROXIES, value: {{ join "," . | quote }} }
  {{- end }}
  {{- range $name, $value := .Values.environment }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
  {{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /var/lib/crm-server }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- /* Rights of a pod: those of an ordinary user, and none in the cluster. */ -}}
{{- define "crm-server.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# After the delay, requests that are running get 25 s, and the parts of jobs 15 s.
terminationGracePeriodSeconds: {{ add .Values.api.shutdownDelaySeconds 45 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "crm-server.placement" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "crm-server.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
