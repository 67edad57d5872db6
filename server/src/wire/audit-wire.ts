import type { AuditReport, CustodyReport } from '@quipu/broker/world/audit/audit.ts'

/** An audit as a response and `quipu audit --json` show it. */
export type AuditOnWire<Report extends AuditReport = AuditReport> = Omit<Report, 'tokenization'> & {
  readonly tokenization: readonly CustodyOnWire[]
}

export type CustodyOnWire = ReturnType<typeof custodyToWire>

export const auditToWire = <Report extends AuditReport>(report: Report): AuditOnWire<Report> => ({
  ...report,
  tokenization: report.tokenization.map(custodyToWire),
})

const custodyToWire = ({ issuer, underlying, custody, multiplier, inFlight, tokens }: CustodyReport) => ({
  issuer,
  underlying_symbol: underlying,
  custody,
  multiplier,
  in_flight: inFlight,
  tokens,
})
