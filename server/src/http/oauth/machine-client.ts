import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import type { Key, UsedAssertion } from '@quipu/core'
import { definedFields, fieldsIn } from '@quipu/core/values'
import { attempt, attemptWithKey } from '../attempt.ts'
import type { Context } from '../context.ts'
import { verifyAssertion } from './machine-assertion.ts'
import { machineError } from './machine-errors.ts'

type Body = Pick<
  InputOf<'issueMachineToken'>['body'],
  'client_id' | 'client_secret' | 'client_assertion' | 'client_assertion_type'
>

/** A program of a partner that has proved that it has a key. */
export type Machine = { readonly world: World; readonly key: Key; readonly assertion?: UsedAssertion }

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * Authenticates the program that calls, in this order:
 *   Basic      refused
 *   secret     client_id and client_secret
 *   signature  client_assertion and client_assertion_type
 */
export async function authenticateMachine(body: Body, context: Context): Promise<Machine> {
  const { client_secret: secret, client_assertion: assertion } = body
  if (context.request.headers.authorization !== undefined) throw basicRefused()
  if (secret !== undefined && assertion !== undefined)
    throw machineError('invalid_request', {
      description: 'expected a secret or an assertion, received both',
      fields: ['client_secret', 'client_assertion'],
    })
  const machine = await (assertion === undefined
    ? bySecret(body, context)
    : byAssertion(body, assertion, context))
  const { id: key, owner } = machine.key
  context.services.worlds.access.keyUses.recordKey(machine.world, key)
  context.cause.setActor({
    kind: 'machine',
    key,
    ...definedFields({
      partner: owner.kind === 'account' ? undefined : owner.partnerId,
      operator: owner.kind === 'partner' && owner.operator ? (true as const) : undefined,
    }),
  })
  return machine
}

const basicRefused = () =>
  machineError('invalid_client', {
    description: 'client_secret_basic is not supported: send client_id and client_secret in the form',
    headers: ['WWW-Authenticate', 'Basic realm="oauth2"'],
  })

function bySecret({ client_id: keyId, client_secret: secret }: Body, context: Context): Machine {
  if (keyId === undefined || secret === undefined) throw machineError('invalid_client')
  const { credentials } = context.services.worlds.access
  const tried = attemptWithKey(context, keyId)
  const caller = credentials.byKey(keyId, secret)
  const found = credentials.key(keyId)
  if (!caller || !found) {
    tried.wrong()
    throw machineError('invalid_client')
  }
  tried.right()
  if (caller.kind !== 'partner') throw machineError('unauthorized_client')
  return found
}

/** An assertion with a wrong signature gets the same error for known and unknown keys. */
async function byAssertion(body: Body, assertion: string, context: Context): Promise<Machine> {
  if (body.client_assertion_type !== ASSERTION_TYPE)
    throw machineError('invalid_request', {
      description: `expected client_assertion_type ${ASSERTION_TYPE}`,
      fields: ['client_assertion_type'],
    })
  const keyId = subjectOf(assertion)
  if (keyId === undefined || (body.client_id ?? keyId) !== keyId) throw machineError('invalid_client')
  const tried = attempt(context, { kind: 'machine', keyId })
  const found = context.services.worlds.access.credentials.key(keyId)
  const used = found?.key.publicKey && (await verifyAssertion(assertion, found.key, context))
  if (!found || !used) {
    tried.wrong()
    throw machineError('invalid_client')
  }
  tried.right()
  return { ...found, assertion: used }
}

/** The subject of an assertion, before the signature is verified. */
export function subjectOf(assertion: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'),
    )
    const subject = fieldsIn(claims)['sub']
    return typeof subject === 'string' && subject !== '' ? subject : undefined
  } catch {
    return undefined
  }
}
