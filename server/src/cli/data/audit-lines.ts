import type { AuditReport, CustodyReport } from '../../world/audit.ts'
import { recordLines } from '../output.ts'

/** A report for people: the custody of each issuer and share on one line. */
export const auditLines = ({ tokenization, ...report }: AuditReport): readonly string[] =>
  recordLines({ ...report, tokenization: tokenization.map(custodyLine) })

function custodyLine(report: CustodyReport): string {
  const { issuer, underlying_symbol, custody, multiplier, tokens, in_flight } = report
  const networks = Object.entries(tokens).map(([network, amount]) => `${amount} on ${network}`)
  const behind = [...networks, `${in_flight} in flight`].join(', ')
  return `${issuer} keeps ${custody} ${underlying_symbol}, ${multiplier} for each token: ${behind}`
}
