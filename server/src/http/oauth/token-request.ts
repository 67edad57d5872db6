import { digestOf } from '@quipu/broker/access/credentials.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Input, OperationName } from '@quipu/contract'
import type { Context } from '../context.ts'
import { basicOf } from './client.ts'
import { subjectOf } from './machine-client.ts'

type Form = { readonly [field: string]: string | undefined }

const forApps: ReadonlySet<string> = new Set([
  'exchangeOAuthCode',
  'revokeOAuthToken',
  'introspectOAuthToken',
] satisfies OperationName[])
const forMachines: ReadonlySet<string> = new Set([
  'issueMachineToken',
  'revokeMachineToken',
] satisfies OperationName[])

/**
 * The world whose fault rules apply to a token request: that of the code, token, app or key in its form. Undefined for
 * other operations and for unknown clients. The secret is not checked.
 */
export function worldOfTokenRequest({ body }: Input, context: Context): World | undefined {
  const form = (body ?? {}) as Form
  if (forApps.has(context.operation)) return worldOfApp(form, context)
  return forMachines.has(context.operation) ? worldOfMachine(form, context) : undefined
}

function worldOfApp(form: Form, { services: { worlds }, request }: Context): World | undefined {
  const { code, token = form['refresh_token'] } = form
  const { credentials } = worlds.access
  const clientId = form['client_id'] ?? basicOf(request.headers.authorization ?? '')?.id
  return (
    (code === undefined ? undefined : credentials.worlds.ofCode(digestOf(code))) ??
    (token === undefined ? undefined : credentials.worlds.ofToken(digestOf(token))) ??
    (clientId === undefined ? undefined : credentials.worlds.ofApp(clientId))
  )
}

function worldOfMachine(form: Form, { services: { worlds } }: Context): World | undefined {
  const { client_assertion: assertion, client_id: id } = form
  const keyId = assertion === undefined ? id : subjectOf(assertion)
  return keyId === undefined ? undefined : worlds.access.credentials.key(keyId)?.world
}
