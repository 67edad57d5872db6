import { randomBytes } from 'node:crypto'
import {
  type AccountId,
  fieldsIn,
  type IssuerAuth,
  type IssuerResponse,
  type IssuerUrls,
  type ListedToken,
  tickerOf,
} from '@quipu/core'
import { networks as all } from '../chain/networks.ts'
import type { AuthorizedParticipant, MintNotification, MintRequest, TokenIssuer } from './issuer.ts'
import { CONTENT_TYPE, type IssuerKey, signatureHeaders } from './signature.ts'

/** The connection settings of an external issuer. */
export type IssuerAddress = {
  readonly urls: IssuerUrls
  readonly auth: IssuerAuth
  readonly apiKey?: string | undefined
  readonly signingKey?: IssuerKey | undefined
  /** Time limit of one call. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 30_000
const RESPONSE_MAX_BYTES = 1_048_576

/** The issuer did not respond, or with an unusable response: the call is repeated later. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable'
}

/**
 * A client of an external issuer. A 4xx status is final, and so is a 2xx response that says it refuses; any other status
 * except 2xx counts as no response.
 */
export function externalIssuer(address: IssuerAddress): TokenIssuer {
  const { urls } = address
  return {
    mint: async (request) =>
      acceptanceOf(urls.mint, await call(address, 'POST', urls.mint, mintBody(request))),
    confirm: async (notification) =>
      call(address, 'POST', urls.confirm, notificationBody(notification, { status: 'completed' })),
    reject: async ({ reason, ...notification }) => {
      await call(
        address,
        'POST',
        urls.confirm,
        notificationBody(notification, { status: 'rejected', reason }),
      )
    },
    async connect({ email, accountNumber }) {
      const url = urls.connect ?? ''
      const response = await call(address, 'POST', url, {
        email,
        client_account_number: accountNumber,
        account: accountNumber,
      })
      if (!response.ok) return response
      const field = 'client_external_account_id' in response.body ? 'client_external_account_id' : 'client_id'
      const externalId = nameIn(response.body, field, 128)
      return externalId === undefined
        ? unreadable(url, 'client_external_account_id')
        : { ok: true, externalId }
    },
    async custody(underlying) {
      const url = (urls.custody ?? '').replace('{underlying_symbol}', encodeURIComponent(underlying))
      const response = await call(address, 'GET', url)
      if (!response.ok) return response
      const accountId = nameIn(response.body, 'account_id', 36)?.toLowerCase()
      const isSameShare = textIn(response.body, 'underlying_symbol') === underlying
      return accountId === undefined || !isSameShare
        ? unreadable(url, 'account_id')
        : { ok: true, accountId: accountId as AccountId }
    },
  }
}

/** Fields of a 2xx response that contradict its yes. */
const DOUBTS = ['error', 'errors', 'success'] as const

/** Values of `success` that do not contradict. Some issuers write booleans as texts or numbers. */
const YES: ReadonlySet<unknown> = new Set([true, 'true', 1, null, undefined])

/** An issuer that has no error may send an empty field. */
function isDoubt(field: (typeof DOUBTS)[number], value: unknown): boolean {
  if (field === 'success') return !YES.has(value)
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

/**
 * Only a clear yes moves shares. After any other word, such as `pending`, or a field that names an error, the issuer is asked
 * again until the deadline.
 */
function acceptanceOf(
  url: string,
  response: CallResult,
): IssuerResponse<{ readonly issuerRequestId: string }> {
  if (!response.ok) return response
  const { status = null } = response.body
  if (status !== null && status !== 'created') return undecided(url, `status ${brief(status)}`)
  const doubt = DOUBTS.find((field) => isDoubt(field, response.body[field]))
  if (doubt !== undefined) return undecided(url, `${doubt} ${brief(response.body[doubt])}`)
  const issuerRequestId = nameIn(response.body, 'issuer_request_id', 256)
  return issuerRequestId === undefined ? unreadable(url, 'issuer_request_id') : { ok: true, issuerRequestId }
}

/** The tokens that an issuer lists. */
export async function issuerTokens(
  address: IssuerAddress,
): Promise<IssuerResponse<{ listings: readonly ListedToken[] }>> {
  const url = address.urls.tokens ?? ''
  const response = await call(address, 'GET', url)
  if (!response.ok) return response
  const tokens = response.body['tokens']
  if (!Array.isArray(tokens)) return unreadable(url, 'tokens')
  const listings: ListedToken[] = []
  for (const token of tokens as readonly Record<string, unknown>[]) {
    const underlying = nameIn(token, 'underlying', 64)
    const tokenSymbol = nameIn(token, 'token', 64)
    const networks = token?.['networks']
    if (underlying === undefined || tokenSymbol === undefined || !isTexts(networks))
      return unreadable(url, 'tokens')
    // Unknown networks are skipped, because no request can name them.
    const known = networks.filter((network) => all.includes(network))
    listings.push({ underlying: tickerOf(underlying), tokenSymbol, networks: known })
  }
  return { ok: true, listings }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Issuers in production require the older names `client_id` and `account`, so calls send both spellings. */
const participantFields = (participant: AuthorizedParticipant) =>
  'accountId' in participant
    ? { client_account_id: participant.accountId }
    : { client_external_account_id: participant.externalId, client_id: participant.externalId }

const mintBody = (request: MintRequest) => ({
  tokenization_request_id: request.requestId,
  qty: request.quantityText,
  underlying_symbol: request.underlying,
  token_symbol: request.tokenSymbol,
  network: request.network,
  ...participantFields(request.participant),
  wallet_address: request.wallet,
})

const notificationBody = (notification: MintNotification, outcome: Readonly<Record<string, string>>) => ({
  tokenization_request_id: notification.requestId,
  issuer_request_id: notification.issuerRequestId,
  ...outcome,
  ...participantFields(notification.participant),
  client_request_id: notification.label,
})

type CallResult = IssuerResponse<{ readonly body: Readonly<Record<string, unknown>> }>

async function call(
  address: IssuerAddress,
  method: 'GET' | 'POST',
  url: string,
  content?: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const body = content && JSON.stringify(content)
  const response = await fetch(url, {
    method,
    headers: headersFor(address, { method, url, body }),
    body: body ?? null,
    redirect: 'error',
    signal: AbortSignal.timeout(address.timeoutMs ?? TIMEOUT_MS),
  })
  const text = await textOf(response)
  const received = recordIn(text)
  const status = textIn(received, 'status')
  if (response.ok)
    return status !== undefined && REFUSALS.has(status.toLowerCase())
      ? { ok: false, reason: reasonIn(received) ?? `the issuer answered with status ${brief(status)}` }
      : { ok: true, body: received }
  if (response.status >= 500 || response.status === 429 || response.status < 400)
    throw new IssuerUnreachable(`${method} ${url} answered ${response.status}`)
  return { ok: false, reason: reasonIn(received) ?? `the issuer answered ${response.status}` }
}

/** Words of a 2xx response that refuse the call. */
const REFUSALS: ReadonlySet<string> = new Set(['rejected', 'failed', 'error', 'denied'])

const REASON_MAX = 500

const reasonIn = (refusal: Readonly<Record<string, unknown>>): string | undefined =>
  (textIn(refusal, 'error') ?? textIn(refusal, 'message') ?? textIn(refusal, 'reason'))?.slice(0, REASON_MAX)

const STATUS_MAX = 40
const brief = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, STATUS_MAX)

function headersFor(
  { auth, apiKey, signingKey }: IssuerAddress,
  request: Parameters<typeof signatureHeaders>[0],
) {
  const headers = request.body === undefined ? {} : { 'Content-Type': CONTENT_TYPE }
  if (auth === 'apiKey') return { ...headers, 'X-API-KEY': apiKey ?? '' }
  if (!signingKey) throw new Error('bug: there is no signing key')
  const made = { createdSeconds: Math.floor(Date.now() / 1000), nonce: randomBytes(16).toString('hex') }
  return { ...headers, ...signatureHeaders(request, signingKey, made) }
}

/** Reads at most the maximum size of a response. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > RESPONSE_MAX_BYTES) throw new IssuerUnreachable('the response is too long')
    text += decoder.decode(chunk, { stream: true })
  }
  return text
}

function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return fieldsIn(value)
  } catch {
    return {}
  }
}

function textIn(record: Readonly<Record<string, unknown>> | undefined, field: string): string | undefined {
  const value = record?.[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An id that is stored and sent again: printable, and within the length limit of requests. */
function nameIn(
  record: Readonly<Record<string, unknown>> | undefined,
  field: string,
  max: number,
): string | undefined {
  const value = textIn(record, field)
  return value !== undefined && value.length <= max && PRINTABLE.test(value) ? value : undefined
}

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** A response that neither accepts nor refuses counts as no response. */
function undecided(url: string, response: string): never {
  throw new IssuerUnreachable(`${url} answered with ${response}`)
}

/** A response without the requested field counts as no response. */
function unreadable(url: string, field: string): never {
  throw new IssuerUnreachable(`${url} answered without ${field}`)
}
