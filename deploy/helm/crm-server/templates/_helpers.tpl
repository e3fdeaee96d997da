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

{{- /* A value as a text. Helm reads numbers as fractions, and would write twelve millions as 1.2e+07. */ -}}
{{- define "crm-server.text" -}}
{{- if kindIs "float64" . }}{{ toJson . }}{{ else }}{{ toString . }}{{ end -}}
{{- end }}

{{- /* The name of the account of the pods; empty for the default one. */ -}}
{{- define "crm-server.account" -}}
{{- .Values.serviceAccountName | default (ternary (include "crm-server.name" .) "" .Values.serviceAccount.create) -}}
{{- end }}

{{- /* What the pods are configured by. Their annotation has its checksum, so that a change replaces them; the version of the secret is
known where Helm can look it up. */ -}}
{{- define "crm-server.annotations" -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace .Values.existingSecret | default dict -}}
{{- $version := dig "metadata" "resourceVersion" "" $secret -}}
checksum/configuration: {{ printf "%s %s" (include "crm-server.environment" .) $version | sha256sum }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* The variables of each container that are no secret. */ -}}
{{- define "crm-server.environment" -}}
- { name: SHUTDOWN_DELAY_SECONDS, value: {{ .Values.api.shutdownDelaySeconds | quote }} }
- { name: PUBLIC_BASE_URL, value: {{ .Values.publicBaseUrl | quote }} }
- { name: S3_BUCKET, value: {{ .Values.s3.bucket | quote }} }
- { name: S3_REGION, value: {{ .Values.s3.region | quote }} }
{{- with .Values.s3.endpoint }}
- { name: S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
- { name: API_CORS, value: {{ ternary "on" "off" .Values.crossOrigin | quote }} }
{{- with .Values.smtpFrom }}
- { name: SMTP_FROM, value: {{ . | quote }} }
{{- end }}
{{- with .Values.trustedProxies }}
- { name: TRUSTED_PROXIES, value: {{ join "," . | quote }} }
{{- end }}
{{- range $name, $value := .Values.environment }}
- { name: {{ $name }}, value: {{ include "crm-server.text" $value | quote }} }
{{- end }}
{{- end }}

{{- /* The container of each pod: the same image, configuration and rights. */ -}}
{{- define "crm-server.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env: {{- include "crm-server.environment" . | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: data, mountPath: /var/lib/crm-server }
  - { name: tmp, mountPath: /tmp }
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
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
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- /* The volumes of each pod: two of its own of these sizes, and those that were asked for. */ -}}
{{- define "crm-server.volumes" -}}
volumes:
  - name: data
    emptyDir: { sizeLimit: {{ include "crm-server.text" .data }} }
  - name: tmp
    emptyDir: { sizeLimit: {{ .tmp }} }
  {{- with .root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
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
