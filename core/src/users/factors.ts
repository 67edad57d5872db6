import { definedFields } from '../defined-fields.ts'
import type { Appliers, Deciders } from '../handlers.ts'
import type { UserId } from '../ids.ts'
import { fail, found, ok } from '../result.ts'
import type { State } from '../state/state.ts'
import { hasFactor, PASSKEYS_MAX } from './factor.ts'
import { signInEpochOf, type User } from './user.ts'

export type FactorRefusal =
  | { readonly code: 'userNotFound' }
  | { readonly code: 'factorExists' }
  | { readonly code: 'factorNotFound' }
  | { readonly code: 'factorReplayed' }
  | { readonly code: 'lastFactorRequired' }
  | { readonly code: 'signInRefused' }

/** Second factors: a person adds and removes them, and confirms sessions with them. The caller has verified each proof. */
export const factorDeciders = {
  addTotp(view, { at }, { userId, secret, step }) {
    const user = view.users.get(userId)
    if (!user) return fail({ code: 'userNotFound' })
    if (user.totp) return fail({ code: 'factorExists' })
    return ok([{ kind: 'totpAdded', at, userId, sealed: { sealedSecret: secret, step } }])
  },

  addPasskey(view, { at, id }, { userId, name, credential, publicKey, counter }) {
    const { passkeys = [] } = view.users.get(userId) ?? {}
    if (!view.users.has(userId)) return fail({ code: 'userNotFound' })
    const isKnown = passkeys.some((known) => known.credential === credential)
    if (isKnown || passkeys.length >= PASSKEYS_MAX) return fail({ code: 'factorExists' })
    const passkeyId = id('world', view.seq, 0)
    const sealed = { credential, publicKey, counter }
    return ok([{ kind: 'passkeyAdded', at, userId, passkeyId, name, sealed }])
  },

  removeFactor(view, { at }, { userId, passkeyId, isRequired = false }) {
    const { totp, passkeys = [] } = view.users.get(userId) ?? {}
    const has = passkeyId ? passkeys.some(({ id }) => id === passkeyId) : totp !== undefined
    if (!has) return fail({ code: 'factorNotFound' })
    if (isRequired && passkeys.length + (totp ? 1 : 0) === 1) return fail({ code: 'lastFactorRequired' })
    return ok([{ kind: 'factorRemoved', at, userId, ...definedFields({ passkeyId }) }])
  },

  removeFactors(view, { at }, { userId }) {
    const user = view.users.get(userId)
    if (!user) return fail({ code: 'userNotFound' })
    return ok(hasFactor(user) ? [{ kind: 'factorsRemoved', at, userId }] : [])
  },

  /** A code is accepted once, and a device that counts its signatures must have counted on: otherwise it was copied. */
  useFactor(view, { at }, { userId, proof }) {
    const user = view.users.get(userId)
    if (proof.by === 'totp') {
      if (!user?.totp) return fail({ code: 'factorNotFound' })
      if (proof.step <= user.totp.lastStep) return fail({ code: 'factorReplayed' })
      return ok([{ kind: 'factorUsed', at, userId, by: 'totp', sealed: { step: proof.step } }])
    }
    const passkey = user?.passkeys?.find(({ credential }) => credential === proof.credential)
    if (!passkey) return fail({ code: 'factorNotFound' })
    const { counter } = proof
    if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter)
      return fail({ code: 'factorReplayed' })
    const { id: passkeyId } = passkey
    return ok([{ kind: 'factorUsed', at, userId, by: 'passkey', passkeyId, sealed: { counter } }])
  },

  confirmSession(view, { at }, { session, by, nowMs }) {
    const known = view.sessions.get(session)
    if (!known || known.endsAtMs <= nowMs) return fail({ code: 'signInRefused' })
    const { userId, id: sessionId } = known
    return ok([{ kind: 'sessionConfirmed', at, userId, sessionId, by, sealed: { session } }])
  },
} satisfies Deciders<FactorRefusal>

export const factorAppliers = {
  totpAdded(state, { at, userId, sealed: { sealedSecret: secret, step: lastStep } }) {
    const totp = { secret, lastStep, createdAt: at }
    change(state, userId, (user) => ({ ...user, ...epochAfterFirst(user), totp }))
  },

  passkeyAdded(state, { at, userId, passkeyId: id, name, sealed }) {
    const added = { id, name, ...sealed, createdAt: at }
    change(state, userId, (user) => {
      const passkeys = [...(user.passkeys ?? []), added]
      return { ...user, ...epochAfterFirst(user), passkeys }
    })
  },

  factorRemoved(state, { userId, passkeyId }) {
    change(state, userId, ({ totp, passkeys = [], ...user }) => {
      const left = passkeys.filter(({ id }) => id !== passkeyId)
      return {
        ...user,
        ...definedFields({ totp: passkeyId && totp, passkeys: left.length ? left : undefined }),
      }
    })
  },

  factorsRemoved(state, { userId }) {
    change(state, userId, ({ totp: _, passkeys: __, ...user }) => ({ ...user, ...nextEpoch(user) }))
  },

  factorUsed(state, { userId, passkeyId, sealed: { step, counter } }) {
    change(state, userId, (user) => ({
      ...user,
      ...definedFields({
        totp: user.totp && step !== undefined ? { ...user.totp, lastStep: step } : user.totp,
        passkeys: user.passkeys?.map((one) =>
          one.id === passkeyId && counter !== undefined ? { ...one, counter } : one,
        ),
      }),
    }))
  },

  sessionConfirmed(state, { sessionId, by, sealed: { session: digest } }) {
    state.sessions.set(digest, { ...found(state.sessions.get(digest), sessionId), factor: by })
  },
} satisfies Appliers

/** Sessions in copies of `main` began without a second factor, so they end with the first one. */
const epochAfterFirst = (user: User) => (hasFactor(user) ? {} : nextEpoch(user))

const nextEpoch = (user: User) => ({ signInEpoch: signInEpochOf(user) + 1 })

function change(state: State, userId: UserId, changed: (user: User) => User): void {
  state.users.set(userId, changed(found(state.users.get(userId), userId)))
}
