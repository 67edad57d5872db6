import { parseDecimal, type Quantity } from '../amount.ts'
import type { Command } from '../commands.ts'
import { definedFields } from '../defined-fields.ts'
import type { AccountId, IssuerCode, PartnerId, RequestId, Ticker } from '../ids.ts'
import type { View } from '../state/state.ts'
import { HOUR, type Instant } from '../time.ts'
import type { Outcome } from '../tokenization/request.ts'

type ScriptContext = {
  readonly state: View
  readonly now: Instant
  readonly partnerId: PartnerId
  readonly accounts: ReadonlyMap<string, AccountId>
  readonly requests: ReadonlyMap<string, RequestId>
}
type Line = (context: ScriptContext, words: readonly string[]) => Command | undefined

/**
 * Script lines for tokens:
 *
 *   issuer I xstocks AAPL solana,base [external] [custody]     behave xstocks hold|never|reject|complete
 *   link A xstocks      requestlink A xstocks       linked A xstocks x1     unlinked A xstocks      unlink A xstocks
 *   mint A m1 AAPL 2 [by=xstocks] [on=solana] [key=k] [body=b] [label=l]
 *   job m1      accept m1      refuse m1      custody m1 I      confirm m1      deny m1      complete m1 0x1
 *   acknowledge m1     fail m1
 *   redeem A r1 AAPL 2 [by=xstocks] [on=solana] [id=x] [key=k] [body=b] [ext=x1] [token=AAPLx]
 *   hold m1     release m1     force m1     forbid m1
 */
export const tokenLines: Readonly<Record<string, Line>> = {
  issuer: (context, [account = '', code = '', symbols = 'AAPL', networks = 'solana', ...rest]) => ({
    kind: 'registerIssuer',
    code: code as IssuerCode,
    name: code,
    accountId: named(context.accounts, account),
    listings: symbols.split(',').map((symbol) => ({
      underlying: symbol as Ticker,
      tokenSymbol: `${symbol}x`,
      networks: networks.split(','),
    })),
    ...definedFields({ external: rest.includes('external') ? externalTerms(context, rest) : undefined }),
  }),
  behave: (_, [issuer = '', outcome = '']) => ({
    kind: 'setBehaviour',
    issuer: issuer as IssuerCode,
    behaviour: { delayNs: 0n, outcome: outcome as Outcome, wallets: new Map() },
  }),
  link: ({ accounts }, [account = '', issuer = '']) => ({
    kind: 'linkAccount',
    link: { accountId: named(accounts, account), issuer: issuer as IssuerCode, kind: 'affiliated' },
  }),
  requestlink: ({ accounts }, [account = '', issuer = '']) => ({
    kind: 'requestLink',
    ...pair(accounts, account, issuer),
    email: `${account}@example.com`,
  }),
  linked: ({ accounts }, [account = '', issuer = '', externalId = '']) => ({
    kind: 'answerLink',
    ...pair(accounts, account, issuer),
    response: { ok: true, externalId },
  }),
  unlinked: ({ accounts }, [account = '', issuer = '']) => ({
    kind: 'answerLink',
    ...pair(accounts, account, issuer),
    response: { ok: false, reason: 'nobody' },
  }),
  unlink: ({ accounts }, [account = '', issuer = '']) => ({
    kind: 'unlinkAccount',
    ...pair(accounts, account, issuer),
  }),
  mint,
  redeem,
  job: (context, [name = '']) => {
    const job = jobOf(context, name)
    return job && { kind: 'runJob', jobId: job.id }
  },
  fail: (context, [name = '']) => {
    const job = jobOf(context, name)
    return job && { kind: 'failJob', jobId: job.id, problem: 'nobody answers' }
  },
  accept: ({ requests }, [name = '']) => ({
    kind: 'answerMint',
    requestId: requestNamed(requests, name),
    response: { ok: true, issuerRequestId: `issuer-${name}` },
  }),
  refuse: ({ requests }, [name = '']) => ({
    kind: 'answerMint',
    requestId: requestNamed(requests, name),
    response: { ok: false, reason: 'Insufficient Eligibility: Client not eligible' },
  }),
  custody: ({ accounts, requests, now }, [name = '', account = '']) => ({
    kind: 'answerCustody',
    requestId: requestNamed(requests, name),
    response: { ok: true, accountId: named(accounts, account) },
    until: (now + 24n * HOUR) as Instant,
  }),
  confirm: ({ requests }, [name = '']) => ({
    kind: 'answerConfirm',
    requestId: requestNamed(requests, name),
    response: { ok: true },
  }),
  deny: ({ requests }, [name = '']) => ({
    kind: 'answerConfirm',
    requestId: requestNamed(requests, name),
    response: { ok: false, reason: 'no' },
  }),
  acknowledge: ({ requests }, [name = '']) => ({
    kind: 'answerRejection',
    requestId: requestNamed(requests, name),
  }),
  complete: ({ requests }, [name = '', txHash = '0x1']) => ({
    kind: 'completeMint',
    requestId: requestNamed(requests, name),
    txHash,
  }),
  hold: (context, words) => force(context, words, { to: 'hold' }),
  release: (context, words) => force(context, words, { to: 'release' }),
  force: (context, words) => force(context, words, { to: 'complete', txHash: '0xforced' }),
  forbid: (context, words) => force(context, words, { to: 'reject', reason: 'not today' }),
}

function mint(context: ScriptContext, words: readonly string[]): Command {
  const [account = '', , symbol = '', size = '', ...rest] = words
  const label = option(rest, 'label')
  return {
    kind: 'requestMint',
    accountId: named(context.accounts, account),
    issuer: (option(rest, 'by') ?? 'xstocks') as IssuerCode,
    network: option(rest, 'on') ?? 'solana',
    underlying: symbol as Ticker,
    quantity: quantity(size),
    quantityText: size,
    wallet: 'wallet',
    ...definedFields({ label }),
  }
}

function redeem(context: ScriptContext, words: readonly string[]): Command {
  const [account = '', name = '', symbol = '', size = '', ...rest] = words
  const externalId = option(rest, 'ext')
  return {
    kind: 'requestRedeem',
    issuer: (option(rest, 'by') ?? 'xstocks') as IssuerCode,
    participant: externalId === undefined ? { accountId: named(context.accounts, account) } : { externalId },
    network: option(rest, 'on') ?? 'solana',
    underlying: symbol as Ticker,
    tokenSymbol: option(rest, 'token') ?? `${symbol}x`,
    quantity: quantity(size),
    quantityText: size,
    wallet: 'wallet',
    txHash: `0x${name}`,
    issuerRequestId: option(rest, 'id') ?? `issuer-${name}`,
  }
}

function force(
  { requests }: ScriptContext,
  [name = '']: readonly string[],
  outcome: Extract<Command, { kind: 'forceRequest' }>['outcome'],
): Command {
  return { kind: 'forceRequest', requestId: requestNamed(requests, name), outcome }
}

const externalTerms = ({ partnerId }: ScriptContext, words: readonly string[]) => ({
  partnerId,
  urls: {
    mint: 'http://issuer/mint',
    confirm: 'http://issuer/confirm',
    connect: 'http://issuer/connect',
    ...definedFields({
      custody: words.includes('custody') ? 'http://issuer/custody/{underlying_symbol}' : undefined,
    }),
  },
  auth: 'apiKey' as const,
  apiKey: 'secret',
})

function jobOf({ state, requests }: ScriptContext, name: string) {
  const requestId = requestNamed(requests, name)
  return [...state.jobs.values()].find((one) => one.requestId === requestId)
}

const option = (words: readonly string[], name: string): string | undefined =>
  words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)

const pair = (accounts: ReadonlyMap<string, AccountId>, account: string, issuer: string) => ({
  accountId: named(accounts, account),
  issuer: issuer as IssuerCode,
})

/** An unknown name is used as an id, which no account has. */
const named = (names: ReadonlyMap<string, AccountId>, name: string): AccountId =>
  names.get(name) ?? (name as AccountId)

function requestNamed(requests: ReadonlyMap<string, RequestId>, name: string): RequestId {
  const id = requests.get(name)
  if (id === undefined) throw new Error(`no request has the name "${name}"`)
  return id
}

function quantity(text: string): Quantity {
  const parsed = parseDecimal(text)
  if (!parsed.ok) throw new Error(`not an amount: ${text}`)
  return parsed.value as Quantity
}
