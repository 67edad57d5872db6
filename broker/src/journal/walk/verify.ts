import { Chain } from '../chain.ts'
import { type Damage, JournalDamaged, type Position } from '../journal.ts'
import { walk } from './walk.ts'

/** `head` is the last sound event. A torn group at the end is not damage, because it was never acknowledged. */
export type Verdict = { readonly head: Position; readonly tornBytes: number; readonly damage?: Damage }

export type VerifyOptions = {
  /** The last durable event, when the journal is in use during the check. */
  readonly upTo?: number | undefined
  /** Called often with the number of the last checked event. */
  readonly progress?: ((seq: number) => void) | undefined
  readonly segmentEvents?: number
}

/** Reads and checks the whole journal of a folder without changing it. */
export async function verifyJournal(folder: string, options: VerifyOptions = {}): Promise<Verdict> {
  const chain = new Chain(options.segmentEvents)
  try {
    const { upTo, progress } = options
    const last = await walk(folder, chain, upTo, progress && (async () => progress(chain.seq)))
    return { head: chain.position, tornBytes: last?.tornBytes ?? 0 }
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error
    return { head: chain.position, tornBytes: 0, damage: error.damage }
  }
}
