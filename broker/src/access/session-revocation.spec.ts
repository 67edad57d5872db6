import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { found } from '@quipu/core'
import { digestOf } from './credentials.ts'
import { assertClosed, ofAccount, ofPartner, type Scene, scene } from './testing/connections.ts'

async function session(
  { stage, userId, submit }: Scene,
  kind: 'account' | 'operator',
  lastsMs = 3_600_000,
  rightsMs = lastsMs,
): Promise<{ readonly token: string; readonly digest: ReturnType<typeof digestOf> }> {
  const { world, accountId } = stage
  const digest = digestOf(randomUUID())
  const nowMs = Date.now()
  if (kind === 'operator') await submit({ kind: 'changeUser', userId, operator: true })
  await submit({ kind: 'signIn', by: { userId }, session: digest, nowMs, endsAtMs: nowMs + lastsMs })
  if (kind === 'operator')
    await submit({ kind: 'raiseOperatorRights', session: digest, nowMs, untilMs: nowMs + rightsMs })
  const token = randomBytes(32).toString('base64url')
  const [partnerId] = world.view.partners.keys()
  const of = { world, digest, session: found(world.view.sessions.get(digest), 'the session') }
  const shared = { world, credentialId: randomUUID(), session: { world, digest, id: of.session.id } }
  const rights = { operator: true, auditor: false }
  const caller =
    kind === 'account'
      ? ({ kind: 'account', ...shared, accountId } as const)
      : ({ kind: 'partner', ...shared, ...rights, partnerId: found(partnerId, 'x') } as const)
  stage.services.worlds.access.credentials.sessionTokens.issue(digestOf(token), of, caller, nowMs)
  return { token, digest }
}

type Signed = Scene & { readonly digest: ReturnType<typeof digestOf> }
const ofSessions: readonly (readonly [string, 'account' | 'operator', (scene: Signed) => Promise<void>])[] = [
  ['the user signs out', 'account', ({ submit, digest }) => submit({ kind: 'signOut', session: digest })],
  [
    'the user is disabled',
    'operator',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, disabled: true }),
  ],
  [
    'the user is no operator any more',
    'operator',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, operator: false }),
  ],
  [
    'the session drops its operator rights',
    'operator',
    ({ submit, digest }) => submit({ kind: 'dropOperatorRights', session: digest }),
  ],
  [
    'the password is changed',
    'account',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, password: 'x' }),
  ],
  [
    'the account gets another owner',
    'account',
    ({ submit, stage }) => submit({ kind: 'assignAccount', accountId: stage.accountId }),
  ],
]

for (const [what, kind, end] of ofSessions)
  test(`when ${what}, the ${kind} connections of the user's pages are closed`, async (t) => {
    const at = await scene(t)
    const { token, digest } = await session(at, kind)
    const opened = await (kind === 'account' ? ofAccount : ofPartner)(at.stage, token)
    await end({ ...at, digest })
    await assertClosed(opened)
  })

for (const [kind, lastsMs] of [['account', 2_000] as const, ['operator', 3_600_000] as const])
  test(`when the ${kind} rights of a page expire by the machine's clock, its connections are closed`, async (t) => {
    const at = await scene(t)
    const { token } = await session(at, kind, lastsMs, 2_000)
    await assertClosed(await (kind === 'account' ? ofAccount : ofPartner)(at.stage, token))
  })

test('while a world restarts no connection is closed, and nothing fails', async (t) => {
  const { stage, userId, submit, token, ...at } = await scene(t)
  const { token: pageToken } = await session({ stage, userId, submit, token, ...at }, 'account')
  const { credentials } = stage.services.worlds.access
  const callers = [token, pageToken].map((one) => found(credentials.byToken(one, 'paper'), 'the caller'))
  await stage.world.close()
  assert.equal(stage.world.status.isUp, false)
  for (const caller of callers) assert.equal(credentials.isValid(caller, Date.now()), true)
})
