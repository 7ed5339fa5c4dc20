{{/* The pod of a node, with either store. */}}
{{- define "petstore.pod" -}}
metadata:
  labels:
    {{- include "petstore.selectorLabels" . | nindent 4 }}
  annotations:
    # A change of the settings replaces the nodes.
    checksum/settings: {{ include (print $.Template.BasePath "/configmap.yaml") . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 20
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    {{- if eq .Values.store "sqlite" }}
    fsGroup: 65532
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  {{- if eq .Values.store "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "petstore.selectorLabels" . | nindent 10 }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: petstore
      image: "{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      envFrom:
        - configMapRef: { name: {{ include "petstore.fullname" . }} }
        {{- if eq .Values.store "postgres" }}
        - secretRef: { name: {{ required "existingSecret is required for postgres" .Values.existingSecret }} }
        {{- else if .Values.existingSecret }}
        - secretRef: { name: {{ .Values.existingSecret }}, optional: true }
        {{- end }}
      {{- if eq .Values.store "sqlite" }}
      env:
        # The volume, even if the secret names another database.
        - { name: DATABASE_URL, value: "sqlite:/data/petstore.db" }
        - { name: REDIS_URL, value: "" }
      {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if .Values.serviceMonitor.enabled }}
        - { name: admin, containerPort: 8081 }
        {{- end }}
      startupProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 1
        failureThreshold: 30
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 1
        timeoutSeconds: 3
        failureThreshold: 1
      livenessProbe:
        httpGet: { path: /livez, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 3
      lifecycle:
        # Load balancers remove the pod during this wait; then SIGTERM starts the node's own shutdown.
        preStop:
          sleep: { seconds: 3 }
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      {{- if eq .Values.store "sqlite" }}
      volumeMounts:
        - { name: data, mountPath: /data }
      {{- end }}
{{- end -}}
