{{/* The release's name; with the chart's in it where it says nothing of it. */}}
{{- define "mintmark.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{/* Labels by which a component's pods are found: they never change. */}}
{{- define "mintmark.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "mintmark.labels" -}}
{{ include "mintmark.selector" . }}
app.kubernetes.io/part-of: mintmark
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "mintmark.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* What the ConfigMap holds. */}}
{{- define "mintmark.settings" -}}
{{- $settings := .Values.settings }}
{{- if .Values.metrics.enabled }}
{{- $settings = merge (dict "MINTMARK_METRICS_ADDRESS" (printf "0.0.0.0:%d" (int .Values.metrics.port))) $settings }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{/* Pods are made anew when settings change, because a digest of them stands here. */}}
{{- define "mintmark.podAnnotations" -}}
checksum/settings: {{ include "mintmark.settings" . | sha256sum }}
{{- with .Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What a pod of the service and one of the migration have in common. */}}
{{- define "mintmark.podSettings" -}}
serviceAccountName: {{ include "mintmark.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: secrets
    secret:
      secretName: {{ .Values.secretName | quote }}
      defaultMode: 0440
{{- if .Values.volume.enabled }}
  - name: store
    persistentVolumeClaim:
      claimName: {{ .Values.volume.existingClaim | default (include "mintmark.name" .) | quote }}
{{- end }}
{{- end }}

{{/* Makes the store or brings it to this version. */}}
{{- define "mintmark.migrateContainer" -}}
- name: migrate
  args: [migrate]
  {{- include "mintmark.containerSettings" . | nindent 2 }}
  resources:
    requests: { cpu: 100m, memory: 192Mi }
    limits: { memory: 384Mi }
{{- end }}

{{- define "mintmark.containerSettings" -}}
image: {{ include "mintmark.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ include "mintmark.name" . }}
env:
{{- if .Values.volume.enabled }}
  # Below the volume, whose own folder belongs to root: the service owns its store.
  - name: MINTMARK_DATA_DIR
    value: /var/lib/mintmark/store
{{- else }}
  - name: DATABASE_URL_FILE
    value: /run/secrets/mintmark/database-url
{{- end }}
  - name: MINTMARK_KEY_ENCRYPTION_KEY_FILE
    value: /run/secrets/mintmark/key-encryption-key
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: secrets
    mountPath: /run/secrets/mintmark
    readOnly: true
{{- if .Values.volume.enabled }}
  - name: store
    mountPath: /var/lib/mintmark
{{- end }}
{{- end }}
