/** One side of a journal between two worlds, with the amount that its postings moved to or from the other world. */
export type TransitReport = {
  readonly id: string
  readonly direction: 'out' | 'in'
  /** The other world. Absent for a refused journal. */
  readonly world?: string | undefined
  readonly status: 'pending' | 'executed' | 'rejected'
  readonly asset?: string | undefined
  readonly amount?: string | undefined
  /** The ledger that received the journal. */
  readonly ledger?: string | undefined
}

/** The journals that another world has not answered. */
export const pendingIn = (transits: readonly TransitReport[]): readonly TransitReport[] =>
  transits.filter(({ status }) => status === 'pending')

/** The journals of one world, and its ledger. A copy of a world has the journals of the original, but another ledger. */
export type WorldTransits = {
  readonly world: string
  readonly ledgerId?: string | undefined
  readonly transits: readonly TransitReport[]
}

export type TransitProblem = { readonly world: string; readonly problem: string }

/** Per sending world the number of settled journals whose two sides cancel, and the problems of all worlds. */
export type TransitCheck = {
  readonly settled: ReadonlyMap<string, number>
  readonly problems: readonly TransitProblem[]
}

/**
 * Checks that the two sides of every settled journal cancel. Journals with a deleted world, or with one before its last
 * reset, have one side only.
 */
export function checkTransits(worlds: readonly WorldTransits[]): TransitCheck {
  const ledgers = new Set(worlds.flatMap(({ ledgerId }) => ledgerId ?? []))
  const sent = new Map<string, Side>()
  const received = new Map<string, Side[]>()
  for (const { world, ledgerId, transits } of worlds)
    for (const report of transits)
      if (report.direction === 'out') {
        if (senderOf(report.id) === ledgerId) sent.set(report.id, { world, report })
      } else if (report.status === 'executed' && report.ledger === ledgerId)
        received.set(report.id, [...(received.get(report.id) ?? []), { world, report }])
  const problems: TransitProblem[] = []
  const settled = new Map<string, number>()
  for (const [id, { world, report }] of sent) {
    const problem = problemOf(report, received.get(id) ?? [], ledgers)
    if (problem) problems.push({ world, problem: `book transfer ${id}: ${problem}` })
    else if (report.status === 'executed') settled.set(world, (settled.get(world) ?? 0) + 1)
  }
  for (const [id, [side]] of received)
    if (side && !sent.has(id) && ledgers.has(senderOf(id)))
      problems.push({ world: side.world, problem: `book transfer ${id}: received, and not sent` })
  return { settled, problems }
}

type Side = { readonly world: string; readonly report: TransitReport }

/** A transit id begins with the ledger of the sender. */
const senderOf = (id: string): string => id.slice(0, id.indexOf('/'))

function problemOf(
  { status, asset, amount, ledger }: TransitReport,
  received: readonly Side[],
  ledgers: ReadonlySet<string>,
): string | undefined {
  if (received.length > 1) return `received ${received.length} times`
  const [other] = received
  if (status === 'rejected') return other && `returned, and received in ${other.world}`
  if (!other)
    return status === 'executed' && (ledger === undefined || ledgers.has(ledger))
      ? 'executed, and not received'
      : undefined
  const { report, world } = other
  const isSame = report.asset === asset && report.amount === amount
  return isSame
    ? undefined
    : `${moved(asset, amount)} sent, ${moved(report.asset, report.amount)} received in ${world}`
}

const moved = (asset: string | undefined, amount: string | undefined): string =>
  asset === undefined ? 'nothing' : `${amount} ${asset}`
