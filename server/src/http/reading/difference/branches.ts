import { askNode, NotMoved, type Tasks } from '@quipu/broker/cluster/ask-node.ts'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { decode, encode, type WorldId } from '@quipu/core'
import { type Reason, Refused, refuse } from '../../../wire/refusal.ts'
import type { Services } from '../../services.ts'
import { type Branch, type BranchState, branchHere, type StateQuestion, type Tip } from './branch.ts'

/** A world that is compared: of this node, or of another node of the cluster. */
export async function branchOf({ worlds, cluster }: Services, name: string): Promise<Branch> {
  const world = name as WorldId
  if (cluster?.locations.of(world).kind === 'nowhere') await cluster.view.refresh()
  const at = cluster?.locations.of(world)
  if (cluster && at?.kind === 'elsewhere') return branchElsewhere(cluster.secret, at.address, world)
  const entry = worlds.entry(world)
  if (entry && at?.kind !== 'nowhere') return branchHere(entry)
  // It moves to another node at this moment.
  if (cluster?.view.row(world)) throw new NotApplied('worldRestarting')
  throw refuse({ code: 'worldNotFound', world: name })
}

type Question =
  | { readonly kind: 'tip' }
  | { readonly kind: 'hashes'; readonly seqs: readonly number[] }
  | ({ readonly kind: 'state' } & StateQuestion)

type Answer = { readonly found: unknown } | { readonly refused: Reason }

/** The replay of a long journal takes a while. */
const RESPONSE_MS = 60_000

function branchElsewhere(secret: string, address: string, world: WorldId): Branch {
  const ask = async (question: Question): Promise<unknown> => {
    const asking = { address, secret, timeoutMs: RESPONSE_MS }
    const task = { world, question: encode(question) }
    const answered = await askNode(asking, 'compare', task).catch((error) => {
      throw error instanceof NotMoved ? new NotApplied('worldRestarting') : error
    })
    const answer = decode((answered as Answered).answer) as Answer
    if ('refused' in answer) throw refuse(answer.refused)
    return answer.found
  }
  return {
    tip: async () => (await ask({ kind: 'tip' })) as Tip,
    hashes: async (seqs) => (await ask({ kind: 'hashes', seqs })) as readonly string[],
    state: async (question) => (await ask({ kind: 'state', ...question })) as BranchState,
  }
}

type Answered = { readonly answer: string }

/** The answer of this node to a question of another one. */
export async function answerQuestion(
  { worlds }: Pick<Services, 'worlds'>,
  { world, question }: Tasks['compare'],
): Promise<Answered> {
  const entry = worlds.entry(world)
  // It has just moved. The client sends the request again.
  if (!entry) throw new NotApplied('worldRestarting')
  const found = await foundBy(branchHere(entry), decode(question) as Question).then(
    (value): Answer => ({ found: value }),
    (error): Answer => {
      if (error instanceof Refused) return { refused: error.reason }
      throw error
    },
  )
  return { answer: encode(found) }
}

function foundBy(branch: Branch, question: Question): Promise<unknown> {
  switch (question.kind) {
    case 'tip':
      return branch.tip()
    case 'hashes':
      return branch.hashes(question.seqs)
    case 'state':
      return branch.state(question)
  }
}
