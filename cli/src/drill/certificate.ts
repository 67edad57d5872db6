import type { DrillResult } from './judge.ts'

/** The result of all drills. Written by --json and --summary. */
export type Certificate = {
  readonly program: string
  readonly passed: boolean
  readonly counts: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly seed: string
  readonly scenario: string | null
  /** What the program did without faults. */
  readonly baseline: {
    readonly orders: number
    /** Shares bought less shares sold, by symbol. */
    readonly shares: Readonly<Record<string, number>>
    readonly uses_stream: boolean
    readonly seconds: number
  }
  readonly drills: readonly DrillResult[]
}
