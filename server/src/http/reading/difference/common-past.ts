import type { Branch, Tip } from './branch.ts'

/**
 * The last event that two journals have in common. A hash is over all events up to its number, so equal hashes are
 * equal pasts. This also finds the past of two forks whose common parent was deleted.
 */
export async function commonPast(
  [one, other]: readonly [Branch, Branch],
  [tip, otherTip]: readonly [Tip, Tip],
): Promise<number> {
  const last = Math.min(tip.seq, otherTip.seq)
  const isCommon = async (seq: number): Promise<boolean> => {
    const [hashes, others] = await Promise.all([one.hashes([seq]), other.hashes([seq])])
    return hashes[0] === others[0]
  }
  const isLastCommon = async (seq: number) =>
    (await isCommon(seq)) && (seq === last || !(await isCommon(seq + 1)))
  // The usual case: one is a fork of the other, or both are forks of one world.
  for (const forked of [tip.forkedSeq, otherTip.forkedSeq])
    if (forked !== undefined && forked <= last && (await isLastCommon(forked))) return forked
  return searched(last, isCommon)
}

/** Adds ever smaller powers of two, so that repeated searches ask for the same few hashes. */
async function searched(last: number, isCommon: (seq: number) => Promise<boolean>): Promise<number> {
  let seq = 0
  for (let step = 2 ** Math.ceil(Math.log2(last + 1)); step >= 1; step /= 2)
    if (seq + step <= last && (await isCommon(seq + step))) seq += step
  return seq
}
