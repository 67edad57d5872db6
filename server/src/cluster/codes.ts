import { NotApplied } from '../process/not-applied.ts'
import { MAIN } from '../worlds/open-main.ts'
import { askNode } from './ask-node.ts'
import type { Cluster } from './cluster.ts'

const ANSWER_MS = 2_000

/** The codes in the ids of `main`, wherever it is: users choose ids there. Without an answer no world is created. */
export async function codesOfMain(
  cluster: Pick<Cluster, 'holderOf' | 'secret'>,
): Promise<ReadonlySet<string>> {
  const address = cluster.holderOf(MAIN)?.address
  if (address === undefined) throw new NotApplied('worldRestarting')
  const asked = askNode({ address, secret: cluster.secret, timeoutMs: ANSWER_MS }, 'codes', {})
  const answer = await asked.catch(() => {
    throw new NotApplied('worldRestarting')
  })
  return new Set((answer as { readonly codes: readonly string[] }).codes)
}
