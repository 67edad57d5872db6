import type { AuditReport, CustodyReport } from '../../world/audit.ts'
import { recordLines } from '../output.ts'

/** A report for people: what issuers keep is told one issuer and share per line. */
export const auditLines = ({ tokenization, ...report }: AuditReport): readonly string[] =>
  recordLines({ ...report, tokenization: tokenization.map(custodyLine) })

function custodyLine(told: CustodyReport): string {
  const { issuer, underlying_symbol, custody, multiplier, tokens, in_flight } = told
  const networks = Object.entries(tokens).map(([network, amount]) => `${amount} on ${network}`)
  const behind = [...networks, `${in_flight} in flight`].join(', ')
  return `${issuer} keeps ${custody} ${underlying_symbol}, ${multiplier} for each token: ${behind}`
}
