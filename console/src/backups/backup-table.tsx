import type { Backup, Backups } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { formatBytes, pluralize } from "../format.ts";
import { placeLabels } from "./labels.ts";

type Props = { state: Backups; onVerify: (backup: Backup) => void };

export function BackupTable({ state: { backups, job }, onVerify }: Props) {
  if (backups.length === 0) {
    return (
      <EmptyState icon="backups" title="There are no backups yet">
        <p>“Back up now” makes one.</p>
      </EmptyState>
    );
  }
  return (
    <table class="cards">
      <TableHead
        columns={[
          "Made",
          "Place",
          { title: "Size", isNumeric: true },
          "Contents",
          "State",
          { title: "Actions", isHidden: true },
        ]}
      />
      <tbody>
        {backups.map((backup) => (
          <tr key={`${backup.place}/${backup.name}`}>
            <th scope="row">
              <Timestamp at={backup.createdAt} />
              <span class="faint">{causeOf(backup)}</span>
            </th>
            <td data-label="Place">{placeLabels[backup.place]}</td>
            <td data-label="Size" class="number">
              {formatBytes(backup.bytes)}
            </td>
            <td data-label="Contents">{contentsOf(backup)}</td>
            <td data-label="State">
              <State of={backup} />
            </td>
            <td class="row-actions">
              <div>
                <Button isPending={job !== null} onClick={() => onVerify(backup)}>
                  Verify
                </Button>
                <a
                  class="button plain"
                  download
                  href={`/admin/v1/backups/${backup.place}/${encodeURIComponent(backup.name)}`}
                >
                  Download
                </a>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function causeOf({ cause }: Backup): string {
  if (cause === null) return "without a description";
  return cause === "schedule" ? "by the schedule" : "by an operator";
}

function contentsOf({ pets, orders, keys }: Backup) {
  if (pets === null || orders === null || keys === null) return <span class="faint">unknown</span>;
  return `${pluralize(pets, "pet")}, ${pluralize(orders, "order")}, ${pluralize(keys, "key")}`;
}

function State({ of: { verifiedAt, problem } }: { of: Backup }) {
  if (verifiedAt === null) return <Badge tone="warn">not verified</Badge>;
  if (problem === null) {
    return (
      <>
        <Badge tone="good">verified</Badge>{" "}
        <span class="faint">
          <Timestamp at={verifiedAt} format="relative" />
        </span>
      </>
    );
  }
  return (
    <>
      <Badge tone="bad">damaged</Badge> <span class="faint">{problem}</span>
    </>
  );
}
