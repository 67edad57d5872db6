import type { Certificate } from './certificate.ts'
import { checks, type DrillCheckName, type DrillResult } from './judge.ts'

export const checkTitles: Readonly<Record<DrillCheckName, string>> = {
  one_order_per_id: 'exactly one order per client id',
  shares: 'shares bought as intended',
  updates: 'no update missed',
  end: 'ended as without faults',
}

/** `11 of 12` drills that measured a check. */
export function scoreOf({ drills }: Certificate, check: DrillCheckName): string {
  const measured = drills.filter(
    ({ result, checks: verdicts }) => result !== 'skipped' && verdicts[check].result !== 'not_measured',
  )
  const passed = measured.filter(({ checks: verdicts }) => verdicts[check].result === 'passed')
  return measured.length === 0 ? 'not measured' : `${passed.length} of ${measured.length}`
}

/** What the program did without faults: `1 order, 2 AAPL, stream of trade updates`. */
export function baselineText({ baseline: { orders, shares, uses_stream: usesStream } }: Certificate): string {
  const held = Object.entries(shares).map(([symbol, quantity]) => `${quantity} ${symbol}`)
  const stream = usesStream ? 'with a stream of trade updates' : 'without a stream of trade updates'
  return [`${orders} order${orders === 1 ? '' : 's'}`, ...held, stream].join(', ')
}

/** `wrong at request 3, 2026-01-05 15:00:00: POST /v2/orders buy 2 AAPL` */
export const wrongText = ({ request, at, what }: NonNullable<DrillResult['wrong_at']>): string =>
  `wrong at request ${request}, ${at.slice(0, 19).replace('T', ' ')}: ${what}`

/** The certificate as text. */
export function certificateLines(certificate: Certificate): readonly string[] {
  const { program, passed, counts, drills } = certificate
  const width = Math.max(...drills.map(({ drill }) => drill.length))
  return [
    `Without faults: ${baselineText(certificate)}`,
    ...drills.flatMap(({ drill, result, about, reasons, wrong_at: wrong, repeat }) => [
      `${result.padEnd(7)}  ${drill.padEnd(width)}  ${about}`,
      ...[...reasons, ...(wrong ? [wrongText(wrong)] : []), ...(repeat ? [`again: ${repeat}`] : [])].map(
        (text) => `${' '.repeat(width + 11)}${text}`,
      ),
    ]),
    ...checks.map((check) => `${checkTitles[check].padEnd(32)} ${scoreOf(certificate, check)}`),
    `${program}: ${passed ? 'passed' : 'failed'} (${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped)`,
  ]
}
