import { ScrollRegion, TableHead } from "../components/table.tsx";
import { formatCount, pluralize } from "../format.ts";
import type { ImportResult } from "./import.ts";

/** The counts of an import, and its first rejected lines. */
export function ResultSummary({ result }: { result: ImportResult }) {
  const { imported, changed, statusKept = 0, rejected, rejections } = result;
  return (
    <div class="fields" role="status">
      <p>
        <strong>
          {pluralize(imported, "pet")} imported{changed !== undefined && `, ${formatCount(changed)} changed`}
        </strong>
        {rejected > 0 ? `, ${pluralize(rejected, "line")} rejected.` : ", no lines rejected."}
      </p>
      {statusKept > 0 && (
        <p class="note">
          {statusKept === 1
            ? "1 pet that a delivered order has sold stays sold."
            : `${formatCount(statusKept)} pets that delivered orders have sold stay sold.`}
        </p>
      )}
      {rejections.length > 0 && (
        <ScrollRegion label="Rejected lines">
          <table>
            <TableHead columns={[{ title: "Line", isNumeric: true }, "Problem"]} />
            <tbody>
              {rejections.map(({ line, problem }) => (
                <tr key={line}>
                  <td class="number">{formatCount(line)}</td>
                  <td>{problem}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {rejected > rejections.length && <p class="hint">Only the first {formatCount(rejections.length)} are listed.</p>}
    </div>
  );
}
