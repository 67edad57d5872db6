import { examples, type Operation, type OperationName, operations, routes } from '@quipu/contract'
import { prepare, type RequestParts } from '../../sdk/src/request.ts'
import type { Body } from './broker.ts'

export type Key = { readonly keyId: string; readonly secretKey: string }
export type ExampleResponse = { readonly status: number; readonly body: Body }

/**
 * Sends the example of an operation to `url`. Parameters with a name in `own` have these values, and operations that
 * name a world in a header name `own.world`.
 */
export async function sendExample(
  url: string,
  name: OperationName,
  { keyId, secretKey }: Key,
  own: Readonly<Record<string, string>>,
): Promise<ExampleResponse> {
  const { params = {}, headers = {}, ...input } = examples[name].input as RequestParts
  const ours = Object.entries(params).map(([field, value]) => [field, own[field] ?? value])
  const { headers: declared }: Operation = operations[name]
  const inWorld = declared !== undefined && 'x-quipu-world' in declared.fields
  const sent = prepare(routes[name], { ...input, params: Object.fromEntries(ours), headers })
  const response = await fetch(url + sent.path, {
    method: sent.method,
    headers: {
      ...sent.headers,
      ...(inWorld && own['world'] !== undefined && { 'x-quipu-world': own['world'] }),
      'APCA-API-KEY-ID': keyId,
      'APCA-API-SECRET-KEY': secretKey,
    },
    redirect: 'manual',
    ...(sent.body === undefined ? {} : { body: sent.body }),
  })
  // Only the reason of a refusal counts; some lists are megabytes.
  if (response.ok) await response.body?.cancel()
  return { status: response.status, body: response.ok ? undefined : await response.json() }
}
