import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { current } from '../../live/current.ts'
import type { Field, Values } from '../../parts/fields.tsx'
import { SmallForm } from '../../parts/small-form.tsx'
import { go } from '../../router.ts'
import { actingOperator } from '../../session/connections.ts'
import { account, api, worldName } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { accountRequests, readAll, requestHref, tokens } from './live-requests.ts'
import { RedeemGuide } from './redeem-guide.tsx'

type Token = Output<'getTokenizationTokens'>[number]
type OpenForm = { readonly type: 'mint' | 'redeem'; readonly symbol?: string }

/** The form that is open. */
export const form = signal<OpenForm | undefined>(undefined)
export const startMint = (symbol?: string): void => {
  form.value = { type: 'mint', ...(symbol !== undefined && { symbol }) }
}
export const startRedeem = (): void => {
  form.value = { type: 'redeem' }
}

/** The protocol has no request of an account to redeem: tokens sent to the issuer do. An operator can simulate that. */
export const canSimulate = computed(
  () => isOperator.value && !!tokens.value.value?.some(({ redemption_wallet: wallet }) => wallet === null),
)

/** The first position that has a token. */
export const usualSymbol = computed(() => {
  const known = new Set(tokens.value.value?.map(({ underlying_symbol: symbol }) => symbol))
  return current.value?.store.positions.value?.find(
    ({ symbol, side }) => side === 'long' && known.has(symbol),
  )
})

const listOf = (values: Iterable<string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...new Set(values)].map((one) => [one, one]))

/** Issuers and networks follow the symbol and the issuer. */
const fieldsOf =
  (all: readonly Token[], isMint: boolean) =>
  ({ symbol, issuer }: Values): readonly Field[] => {
    const ofSymbol = all.filter((one) => one.underlying_symbol === symbol)
    const ofIssuer = ofSymbol.filter((one) => one.issuer === issuer)
    return [
      { name: 'symbol', label: 'Share', options: listOf(all.map((one) => one.underlying_symbol)) },
      { name: 'qty', label: 'Shares', kind: 'number', isRequired: true },
      { name: 'issuer', label: 'Issuer', options: listOf(ofSymbol.map((one) => one.issuer)) },
      { name: 'network', label: 'Network', options: listOf(ofIssuer.map((one) => one.network)) },
      {
        name: 'wallet',
        label: isMint ? 'Wallet that receives the tokens' : 'Wallet that sends the tokens',
        isWide: true,
        isRequired: isMint,
        ...(!isMint && { hint: 'the wallet of the newest mint' }),
      },
    ]
  }

function startOf(all: readonly Token[], { type, symbol }: OpenForm): Values {
  const last = accountRequests.value
    .peek()
    ?.find((one) => symbol === undefined || one.underlying_symbol === symbol)
  const chosen =
    symbol ?? last?.underlying_symbol ?? usualSymbol.peek()?.symbol ?? all[0]?.underlying_symbol ?? ''
  const ofSymbol = all.filter((one) => one.underlying_symbol === chosen)
  const issuer =
    last?.issuer ?? ofSymbol.find((one) => one.issuer === 'xstocks')?.issuer ?? ofSymbol[0]?.issuer ?? ''
  const ofIssuer = ofSymbol.filter((one) => one.issuer === issuer)
  const network =
    last?.network ?? ofIssuer.find((one) => one.network === 'base')?.network ?? ofIssuer[0]?.network ?? ''
  const wallet = type === 'mint' ? (last?.wallet_address ?? '') : ''
  return { symbol: chosen, qty: '1', issuer, network, wallet }
}

/** A mint for the chosen account, or the simulated transfer of its tokens to the issuer. */
export function RequestForm(): JSX.Element | null {
  const [open, all] = [form.value, tokens.value.value]
  if (!open || !all) return null
  const isMint = open.type === 'mint'
  const close = () => {
    form.value = undefined
  }
  if (!isMint && !canSimulate.value) return <RedeemGuide of={all} close={close} />
  return (
    <SmallForm
      key={`${open.type} ${open.symbol}`}
      title={isMint ? 'Mint' : 'Simulate a redemption'}
      about={
        isMint
          ? 'The issuer takes the shares into custody and creates the tokens in the wallet.'
          : 'On a simulated chain, tokens of the account arrive at the redemption wallet of the issuer, and the shares return.'
      }
      fields={fieldsOf(all, isMint)}
      start={startOf(all, open)}
      submit={isMint ? 'Mint' : 'Simulate the transfer'}
      send={isMint ? mint : redeem}
      close={close}
      isOwn={isMint}
      {...(isMint && { extra: (change) => <TestWallet use={(wallet) => change({ wallet })} /> })}
    />
  )
}

const TestWallet = ({ use }: { readonly use: (wallet: string) => void }): JSX.Element => (
  <p class="faint small">
    On a simulated chain any address works.{' '}
    <button type="button" class="link" onClick={() => use(randomWallet())}>
      Fill in a test wallet
    </button>
  </p>
)

/** An address that nobody has the key of: for simulated chains only. */
const randomWallet = (): string =>
  `0x${[...crypto.getRandomValues(new Uint8Array(20))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

async function mint({ symbol = '', qty = '', issuer = '', network, wallet = '' }: Values): Promise<void> {
  const body = {
    underlying_symbol: symbol,
    qty,
    issuer,
    network: network as 'base',
    wallet_address: wallet.trim(),
  }
  const made = await api.peek()!.quipu.tokenization.mint(body)
  readAll()
  go(requestHref(made.tokenization_request_id))
}

async function redeem({ symbol = '', qty = '', issuer = '', network, wallet = '' }: Values): Promise<void> {
  const made = await actingOperator().client.simulateRedemption({
    params: { world: worldName.peek() },
    body: {
      account_id: account.peek()!.id,
      underlying_symbol: symbol,
      qty,
      issuer,
      network: network as 'base',
      ...(wallet.trim() !== '' && { wallet_address: wallet.trim() }),
    },
  })
  readAll()
  go(requestHref(made.tokenization_request_id))
}
