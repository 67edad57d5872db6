import type { WorldId } from '@quipu/core'
import { fieldsIn } from '@quipu/core/values'

/** The header with the secret that all nodes share. */
export const SECRET_HEADER = 'quipu-cluster-secret'

/** The path of tasks that nodes give each other. */
export const TASK_PATH = '/cluster/v1/'

/** The path of the provider's streams, which the holder of `main` sends to other nodes; an asset class follows. */
export const PROVIDER_PATH = '/cluster/v1/provider/'

/** The tasks of a node. */
export type Tasks = {
  /** Move a world that this node holds to the node with this name. */
  readonly move: { readonly world: WorldId; readonly node: string }
  /** Read the state of a world that this node will get, while another one still holds it. */
  readonly prepare: { readonly world: WorldId }
  /** Claim and open a world that its last holder has released to this node. */
  readonly claim: { readonly world: WorldId; readonly speed: number }
  /** Let a world that this node holds receive a journal of another world. The request is encoded. */
  readonly receive: { readonly world: WorldId; readonly request: string }
  /** Answer a question about a world that this node holds, for a comparison with another world. The question is encoded. */
  readonly compare: { readonly world: WorldId; readonly question: string }
  /** Return whether this node holds a world. */
  readonly holds: { readonly world: WorldId }
  /** Return the name of this node. */
  readonly name: Readonly<Record<string, never>>
  /** Return the codes in the ids of `main`, which this node holds. */
  readonly codes: Readonly<Record<string, never>>
  /** Check this node, and return the results. */
  readonly doctor: Readonly<Record<string, never>>
  /** Return these people of `main`, which this node holds; null for each who is not there. */
  readonly people: { readonly users: readonly UserName[] }
  /** Check a password for `main`, which this node holds, when a person signs in to another world. */
  readonly password: UserName & {
    readonly password: string
    /** The world and the name as they were entered. Only for the limits of failed attempts. */
    readonly world: string
    readonly name: string
    readonly address: string
    readonly browser?: string | undefined
  }
  /** Ask a person of `main`, which this node holds, for the second factor of a session in another world. */
  readonly factorQuestion: FactorSession
  /** Check the second factor of such a session: a code, or the response of a passkey. */
  readonly factorCheck: FactorSession & {
    readonly answer: {
      readonly passcode?: string | undefined
      readonly passkey?: string | undefined
      readonly challenge?: string | undefined
    }
    readonly address: string
  }
}
/** A session, and the page at which it asks for the second factor. */
type FactorSession = UserName & {
  readonly session: string
  readonly page: { readonly origin: string; readonly host: string }
}
type UserName = { readonly userId: string; readonly createdAt: string }
export type TaskName = keyof Tasks

/** The world was not moved. The message says why. */
export class NotMoved extends Error {
  override readonly name = 'NotMoved'
}

/** The node cannot be reached. */
export class NodeUnreachable extends NotMoved {}

/** The node has another secret. */
export class SecretRefused extends NotMoved {
  constructor(address: string) {
    super(`node ${address} has another QUIPU_CLUSTER_SECRET`)
  }
}

const FORBIDDEN = 403

export type Asking = {
  readonly address: string
  readonly secret: string
  readonly timeoutMs: number
  /** Ends the wait for the response early. */
  readonly signal?: AbortSignal | undefined
}

/** Gives another node a task and returns its response. */
export async function askNode<Name extends TaskName>(
  { address, secret, timeoutMs, signal }: Asking,
  task: Name,
  input: Tasks[Name],
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(new URL(TASK_PATH + task, address), {
    method: 'POST',
    headers: { [SECRET_HEADER]: secret, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
    // The secret must not follow a redirect to another server.
    redirect: 'error',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error) => {
    throw new NodeUnreachable(`node ${address} did not answer: ${error.cause?.message ?? error.message}`)
  })
  const { ok, status } = response
  const received: unknown = await response.json().catch(() => undefined)
  if (ok && received !== undefined) return received
  if (status === FORBIDDEN) throw new SecretRefused(address)
  const { message } = fieldsIn(received)
  throw new NotMoved(
    typeof message === 'string' ? message : `node ${address} answered ${status}${ok ? ' without JSON' : ''}`,
  )
}
