import type { Mistakes } from "../mutant.ts";

const EXECUTABLES = "test/deploy/executables.long.test.ts";

export const deploy: Mistakes = {
  "deploy/Caddyfile": {
    tests: ["test/deploy/caddy.long.test.ts"],
    mistakes: [
      ["strict_sni_host on", ""],
      ["max_header_size 11KB", "max_header_size 64KB"],
      ["error @large 413", ""],
      ["lb_try_duration 5s", ""],
      ["read_header 2s", "read_header 20s"],
      ['|| {http.error.message}.contains("chunk")', ""],
    ],
  },
  "deploy/compose.yaml": {
    tests: ["test/deploy/compose.test.ts"],
    mistakes: [
      ['["127.0.0.1:8081:8081"]', '["8081:8081"]'],
      ["PETSTORE_ADMIN_HOSTS: production-one,production-two,staging", "PETSTORE_ADMIN_HOSTS: production-one"],
      ["    internal: true\n", ""],
    ],
  },
  "deploy/kubernetes/petstore.yaml": {
    tests: ["test/deploy/kubernetes.test.ts"],
    mistakes: [
      ["targetPort: http", "targetPort: web"],
      ["terminationGracePeriodSeconds: 20", "terminationGracePeriodSeconds: 10"],
      ["containerPort: 8080", "containerPort: 8000"],
      ["readOnlyRootFilesystem: true", "readOnlyRootFileSystem: true"],
    ],
  },
  "deploy/helm/petstore/templates/_pod.tpl": {
    tests: ["test/deploy/kubernetes.long.test.ts"],
    mistakes: [
      ["fsGroup: 65532", ""],
      ['- { name: DATABASE_URL, value: "sqlite:/data/petstore.db" }', ""],
      ["path: /livez", "path: /healthz"],
    ],
  },
  "deploy/executables.ts": {
    tests: [EXECUTABLES],
    mistakes: [
      ["if (actual !== integrity)", "if (false)"],
      ['if (platform === "darwin-x64") signAdHoc(path, "petstore");', ""],
      ['.digest("hex")}  ', '.digest("hex")}'],
    ],
  },
  "deploy/code-signature.ts": {
    tests: [EXECUTABLES],
    mistakes: [
      ["Math.min((page + 1) * PAGE, codeBytes)", "(page + 1) * PAGE"],
      ["file.writeBigUInt64LE(BigInt(linkeditBytes), linkedit + 48);", ""],
      ["file.writeUInt32LE(blobBytes, signature + 12);", ""],
    ],
  },
};
