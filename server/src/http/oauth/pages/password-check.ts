import type { Subject } from '@quipu/broker/access/failed-attempts.ts'
import { userIn } from '@quipu/broker/access/main-people.ts'
import { DUMMY_HASH, verifyPassword } from '@quipu/broker/access/password.ts'
import { askMain } from '@quipu/broker/cluster/ask-main.ts'
import type { Tasks } from '@quipu/broker/cluster/ask-node.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { User, UserId } from '@quipu/core'
import { EPOCH, hasFactor, instantOfNanos, signInEpochOf, userByName } from '@quipu/core'
import { clientAddress } from '../../connection/client-address.ts'
import type { Context } from '../../context.ts'
import { clusterOf, type Services } from '../../services.ts'
import { browserOf } from './browser.ts'

/** How the check of a name and a password ended. */
export type PasswordCheck =
  | {
      readonly kind: 'right'
      /** Set if the user is a person of `main`, in another world: the sign-in epoch of that person. */
      readonly mainEpoch?: number
      readonly hasFactor: boolean
    }
  | { readonly kind: 'wrong' }
  /** Too many failed attempts. */
  | { readonly kind: 'wait'; readonly seconds: number }

/** No user has this id. The check of an unknown name takes as long as that of a known one. */
const NOBODY = { id: '' as UserId, createdAt: EPOCH }

/**
 * Checks the password of a user. A user of a copy has none there: the person of `main` signs in with the password of
 * `main`, which only the node that holds `main` checks. Fails with NotApplied while that node does not answer.
 */
export async function checkPassword(
  context: Context,
  world: World,
  name: string,
  password: string,
): Promise<PasswordCheck> {
  const { services, request } = context
  const user = userByName(world.view, name)
  const client = {
    address: clientAddress(request, services.settings.trustProxy),
    browser: browserOf(context),
  }
  if (world.access.hasOperators || user?.password) {
    const subject = { kind: 'user', world, name } as const
    return verify(services, { subject, ...client }, password, user)
  }
  const { id, createdAt } = user ?? NOBODY
  const asked = { world: world.id, name, userId: id, createdAt: String(createdAt), password, ...client }
  if (services.worlds.get(MAIN)) return checkAtMain(services, asked)
  return (await askMain(clusterOf(services), 'password', asked)) as PasswordCheck
}

/** Checks the password of a person in `main`, which this node holds. */
export async function checkAtMain(services: Services, asked: Tasks['password']): Promise<PasswordCheck> {
  const { worlds } = services
  const user = userIn(worlds.main.view, {
    id: asked.userId as UserId,
    createdAt: instantOfNanos(BigInt(asked.createdAt)),
  })
  // Attempts in all copies count together. Any other name counts for its world.
  const name = user?.name ?? `${asked.world} ${asked.name}`
  const subject: Subject = { kind: 'user', world: worlds.main, name }
  const { address, browser } = asked
  const check = await verify(services, { subject, address, browser }, asked.password, user)
  return check.kind === 'right' && user ? { ...check, mainEpoch: signInEpochOf(user) } : check
}

type Client = { readonly subject: Subject; readonly address: string; readonly browser: string | undefined }

/** A wrong name and a wrong password take the same time. */
async function verify(
  { security: { failedAttempts } }: Services,
  { subject, address, browser }: Client,
  password: string,
  user: User | undefined,
): Promise<PasswordCheck> {
  const before = failedAttempts.waitSeconds(address, subject, browser)
  if (before > 0) return { kind: 'wait', seconds: before }
  const tried = failedAttempts.begin(address, subject, browser)
  const turn = failedAttempts.isKnown(subject, browser) ? 'known' : 'stranger'
  const isRight = await countUnlessRefused(
    tried,
    verifyPassword(password, user?.password || DUMMY_HASH, turn),
  )
  if (isRight && user && !user.disabled) {
    tried.right()
    if (browser !== undefined) failedAttempts.remember(subject, browser)
    return { kind: 'right', hasFactor: hasFactor(user) }
  }
  const seconds = tried.wrong()
  return seconds > 0 ? { kind: 'wait', seconds } : { kind: 'wrong' }
}

/** A password that was not checked, because too many checks wait, does not count as a failed attempt. */
export const countUnlessRefused = (
  tried: { readonly right: () => void },
  check: Promise<boolean>,
): Promise<boolean> =>
  check.catch((error) => {
    tried.right()
    throw error
  })
