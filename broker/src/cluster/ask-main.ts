import { NotApplied } from '../journal/not-applied.ts'
import { MAIN } from '../registry/opening/open-main.ts'
import type { WorldsParts } from '../registry/worlds.ts'
import { askNode, type Tasks } from './ask-node.ts'
import type { Cluster } from './cluster.ts'

const RESPONSE_MS = 2_000

/** Tasks of the node that holds `main`. */
type MainTask = 'codes' | 'people' | 'password' | 'factorQuestion' | 'factorCheck'

/** Gives the node that holds `main` a task. Without a response it fails with NotApplied. */
export async function askMain<Name extends MainTask>(
  cluster: Pick<Cluster, 'locations' | 'secret'>,
  task: Name,
  input: Tasks[Name],
): Promise<unknown> {
  const address = cluster.locations.holderOf(MAIN)?.address
  if (address === undefined) throw new NotApplied('worldRestarting')
  return askNode({ address, secret: cluster.secret, timeoutMs: RESPONSE_MS }, task, input).catch((error) => {
    throw new NotApplied('worldRestarting', error)
  })
}

/** The codes in the ids of `main`, wherever it is: users choose ids there. Without a response no world is created. */
async function codesOfMain(cluster: Pick<Cluster, 'locations' | 'secret'>): Promise<ReadonlySet<string>> {
  const response = (await askMain(cluster, 'codes', {})) as { readonly codes: readonly string[] }
  return new Set(response.codes)
}

type MainCalls = Required<Pick<WorldsParts, 'codesOfMain' | 'askPeople'>>
type MainPeople = Awaited<ReturnType<MainCalls['askPeople']>>

/** What worlds ask of `main`, which another node may hold. */
export const askingMain = (cluster: () => Cluster): MainCalls => ({
  codesOfMain: () => codesOfMain(cluster()),
  async askPeople(refs) {
    const users = refs.map(({ id, createdAt }) => ({ userId: id, createdAt: String(createdAt) }))
    const { people } = (await askMain(cluster(), 'people', { users })) as {
      readonly people: readonly (MainPeople[number] | null)[]
    }
    return people.map((person) => person ?? undefined)
  },
})
