import type { ServerRun } from '../contract.ts'

/** What a run was, and its result. */
export type Run = Omit<ServerRun, 'number' | 'owner' | 'bytes' | 'pinned' | 'stored_at'>

/** The format of run files that this version writes and reads. */
export const RUN_FILE_FORMAT = 1

/** Absent: of the run itself. In a file of drills: of the drill with this name. */
type OfDrill = { readonly drill?: string }

/** The account at an instant, and what the same money would be worth without the program. */
export type RunEquity = {
  readonly at: string
  readonly equity: number
  /** Deposits less withdrawals since the start. Absent: none. */
  readonly transfers?: number
  /** The trading day that ends here. */
  readonly day?: string
  /** Value of all positions, long and short, as a fraction of the equity. */
  readonly exposure?: number
  /** In the traded symbols, in equal parts, from the start. */
  readonly hold?: number
  /** In SPY, from the start. */
  readonly spy?: number
}

export type RunRequest = OfDrill & {
  readonly at: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Absent: no response. */
  readonly status?: number
  /** Absent: empty, or too long to keep. */
  readonly answer?: unknown
  /** Fault rule that changed the response. */
  readonly fault?: string
}

/** A line that the program printed. */
export type RunOutput = OfDrill & {
  readonly at: string
  readonly stream: 'stdout' | 'stderr'
  readonly text: string
}

export type RunFill = OfDrill & {
  readonly at: string
  readonly symbol: string
  readonly side: string
  readonly qty: string
  readonly price: string
  readonly order_id: string
  /** The quote at which it was made. */
  readonly bid?: string
  readonly ask?: string
}

/** An event of the account in the journal of the world. */
export type RunEvent = OfDrill & {
  readonly at: string
  readonly number: number
  readonly kind: string
  readonly order_id?: string | undefined
  readonly event: Readonly<Record<string, unknown>>
}

/** A fault that was applied, or a market event that happened. */
export type RunFault = { readonly at: string; readonly label: string; readonly kind: 'fault' | 'market' }

/** The price of a symbol at the end of the run. */
export type RunPrice = { readonly symbol: string; readonly price: number }

/** An order without a fill, with what would have filled it. */
export type RunUnfilled = {
  readonly order_id: string
  readonly status: string
  readonly summary: string
  readonly counterfactual: readonly string[]
}

/** The verdict on one drill, and its evidence. */
export type RunDrill = {
  readonly drill: string
  readonly about: string
  readonly result: 'passed' | 'failed' | 'skipped'
  /** What went wrong, or why the drill was skipped. */
  readonly reasons: readonly string[]
  /** What the program did, in a few words. */
  readonly evidence: string
  /** What to change in the program. Only of a failed drill. */
  readonly advice?: string
  readonly seconds: number
  /** Figures of the run with this drill. Absent: it was skipped. */
  readonly profit_loss?: number
  readonly requests?: number
  readonly orders?: number
}

/** The parts of a run file after its first line. */
export type RunParts = {
  readonly equity: readonly RunEquity[]
  readonly fill: readonly RunFill[]
  readonly fault: readonly RunFault[]
  readonly price: readonly RunPrice[]
  readonly drill: readonly RunDrill[]
  readonly unfilled: readonly RunUnfilled[]
  readonly request: readonly RunRequest[]
  readonly output: readonly RunOutput[]
  readonly event: readonly RunEvent[]
}

/** A run file: gzip of JSON lines. The first is the record of the run, each other one names its part, the last is the end. */
export type RunFile = { readonly run: Run; readonly parts: RunParts }

export const runParts = [
  'equity',
  'fill',
  'fault',
  'price',
  'drill',
  'unfilled',
  'request',
  'output',
  'event',
] as const satisfies readonly (keyof RunParts)[]

/** The lines of a run file, before their compression. */
export function* runFileLines({ run, parts }: RunFile): Generator<string> {
  yield JSON.stringify({ quipu_run: RUN_FILE_FORMAT, ...run })
  let lines = 1
  for (const part of runParts)
    for (const line of parts[part]) {
      yield JSON.stringify({ part, ...line })
      lines += 1
    }
  yield JSON.stringify({ part: 'end', lines: lines + 1 })
}
