{{/* The release's name; with the chart's in it where it says nothing of it. That of a Service begins with a letter and has no dot. */}}
{{- define "mintmark.name" -}}
{{- $release := .Release.Name | replace "." "-" }}
{{- if regexMatch "^[0-9]" $release }}{{ .Chart.Name }}-{{ $release }}
{{- else if contains .Chart.Name $release }}{{ $release }}{{ else }}{{ $release }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{/* Mappings of a list as one, where a key has the value of the last: a key that came twice would be no YAML. */}}
{{- define "mintmark.merged" -}}
{{- $all := dict }}
{{- range . }}{{ range $key, $value := . }}{{ $_ := set $all $key $value }}{{ end }}{{ end }}
{{- toYaml $all }}
{{- end }}

{{/* Labels by which a component's pods are found: they never change. */}}
{{- define "mintmark.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "mintmark.ownLabels" -}}
app.kubernetes.io/part-of: mintmark
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Of a list: the root, the component or "", and labels of the values, which win over all but those by which pods are found. */}}
{{- define "mintmark.labels" -}}
{{- $root := index . 0 }}
{{- $found := include "mintmark.selector" $root | fromYaml }}
{{- with index . 1 }}{{ $_ := set $found "app.kubernetes.io/component" . }}{{ end }}
{{- include "mintmark.merged" (list (include "mintmark.ownLabels" $root | fromYaml) $root.Values.commonLabels (index . 2) $found) }}
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
{{- if eq (include "mintmark.port" .) (.Values.metrics.port | toString) }}
{{- fail "metrics.port: expected another port than settings.PORT" }}
{{- end }}
{{- if eq (int .Values.service.port) (int .Values.metrics.port) }}
{{- fail "metrics.port: expected another port than service.port" }}
{{- end }}
{{- $host := $settings.HOST | default "0.0.0.0" }}
{{- $address := printf (contains ":" $host | ternary "[%s]:%d" "%s:%d") $host (int .Values.metrics.port) }}
{{- $settings = merge (dict "MINTMARK_METRICS_ADDRESS" $address) $settings }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{/* Where the service listens. */}}
{{- define "mintmark.port" -}}
{{- .Values.settings.PORT | default "8080" }}
{{- end }}

{{- define "mintmark.probe" -}}
path: {{ index . 1 }}
port: http
{{- if (index . 0).Values.settings.MINTMARK_TLS_CERT_FILE }}
scheme: HTTPS
{{- end }}
{{- end }}

{{/* Pods are made anew when settings change, because a digest of them stands here. */}}
{{- define "mintmark.podAnnotations" -}}
{{- include "mintmark.merged" (list .Values.podAnnotations (dict "checksum/settings" (include "mintmark.settings" . | sha256sum))) }}
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
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.podSecurityContext }}
securityContext: {{- toYaml . | nindent 2 }}
{{- end }}
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
{{- with .Values.extraVolumes }}
{{ toYaml . | indent 2 }}
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

{{/* A variable of the values wins over one of the chart, also over that of its file: Kubernetes or the service would refuse both. */}}
{{- define "mintmark.env" -}}
{{- $own := dict "MINTMARK_KEY_ENCRYPTION_KEY_FILE" "/run/secrets/mintmark/key-encryption-key" }}
{{- /* Below the volume, whose own folder belongs to root: the service owns its store. */ -}}
{{- if .Values.volume.enabled }}{{ $_ := set $own "MINTMARK_DATA_DIR" "/var/lib/mintmark/store" }}
{{- else }}{{ $_ := set $own "DATABASE_URL_FILE" "/run/secrets/mintmark/database-url" }}
{{- end }}
{{- range .Values.extraEnv }}{{ $_ := unset $own .name }}{{ $_ := unset $own (printf "%s_FILE" .name) }}{{ end }}
{{- $list := list }}
{{- range $name, $value := $own }}{{ $list = append $list (dict "name" $name "value" $value) }}{{ end }}
{{- concat $list (.Values.extraEnv | default list) | toYaml }}
{{- end }}

{{- define "mintmark.containerSettings" -}}
image: {{ include "mintmark.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ include "mintmark.name" . }}
env: {{- include "mintmark.env" . | nindent 2 }}
{{- with .Values.securityContext }}
securityContext: {{- toYaml . | nindent 2 }}
{{- end }}
volumeMounts:
  - name: secrets
    mountPath: /run/secrets/mintmark
    readOnly: true
{{- if .Values.volume.enabled }}
  - name: store
    mountPath: /var/lib/mintmark
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
