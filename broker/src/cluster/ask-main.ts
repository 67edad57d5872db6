import { NotApplied } from '../journal/not-applied.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import { askNode, type Tasks } from './ask-node.ts'
import type { Cluster } from './cluster.ts'

const RESPONSE_MS = 2_000

/** Tasks of the node that holds `main`. */
type MainTask = 'codes' | 'people' | 'password' | 'factorQuestion' | 'factorCheck'

/** Gives the node that holds `main` a task. Without a response it fails with NotApplied. */
export async function askMain<Name extends MainTask>(
  cluster: Pick<Cluster, 'holderOf' | 'secret'>,
  task: Name,
  input: Tasks[Name],
): Promise<unknown> {
  const address = cluster.holderOf(MAIN)?.address
  if (address === undefined) throw new NotApplied('worldRestarting')
  return askNode({ address, secret: cluster.secret, timeoutMs: RESPONSE_MS }, task, input).catch((error) => {
    throw new NotApplied('worldRestarting', error)
  })
}

/** The codes in the ids of `main`, wherever it is: users choose ids there. Without a response no world is created. */
export async function codesOfMain(
  cluster: Pick<Cluster, 'holderOf' | 'secret'>,
): Promise<ReadonlySet<string>> {
  const response = (await askMain(cluster, 'codes', {})) as { readonly codes: readonly string[] }
  return new Set(response.codes)
}
