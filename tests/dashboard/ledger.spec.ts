import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import {
  buyShares,
  contractOn,
  mint,
  ONE,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  STRANGER,
  STRANGER_KEY,
  send,
  startBrokerOn,
  startNode,
  unmatchedTransfers,
  waitForCompletion,
} from '../chain/stage.ts'
import { callAsOperator } from '../support/broker.ts'
import { commonDemo } from './demo.ts'
import { newPage, openStage, visit } from './stage.ts'

const { operator } = await openStage()
const world = await commonDemo()
const path = `/ledger?world=${world}`

test('a balance is made of bars, a bar filters the postings, and a posting shows its legs', async (t) => {
  const page = await visit(t, path)
  await page.getByRole('heading', { name: /^Where does cash of [\d,.]+ come from\?$/ }).waitFor()
  const postings = page.getByRole('region', { name: 'Postings' }).getByRole('region')
  await postings.getByText('Deposit', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Sales 3 fills/ }).click()
  await page.waitForURL(/group=Sales/)
  assert.equal(await postings.locator('tbody tr').count(), 3)
  await postings.getByText('Sold 25 AAPL').click()
  await postings.getByText('my account, unsettled').first().waitFor()
  await postings.getByText('street').first().waitFor()
  await postings.getByRole('link').first().click()
  await page.getByRole('heading', { name: /^Sell 25 AAPL/ }).waitFor()
})

test('the proof line audits the ledger and names the hash of the journal', async (t) => {
  const { hash, seq } = await operator.getJournalHead({ params: { world } })
  const page = await visit(t, path)
  const proof = page.getByRole('region', { name: 'Proof' })
  await proof.getByText(`journal ${seq} events · sha-256 ${hash.slice(0, 8)}…${hash.slice(-4)}`).waitFor()
  // Another spec may have audited the same world.
  await proof.getByRole('button', { name: /^Audit (now|again)$/ }).click()
  await proof.getByText('Balanced').waitFor()
  await proof.getByText(/^\d+ postings, debits equal credits in every asset$/).waitFor()
})

test('an order links to its postings, and CSV has exact amounts', async (t) => {
  const params = { world }
  const { postings } = await operator.listPostings({ params, query: { asset: 'AAPL', limit: 1000 } as never })
  const last = postings.findLast((leg) => leg.account_id !== undefined && leg.kind === 'orderFilled')!
  const page = await visit(t, `${path}&order=${last.order_id}`)
  await page.getByRole('button', { name: /^Order [0-9a-f]{8}/ }).waitFor()
  await page
    .getByRole('region', { name: 'Postings' })
    .getByText(`${last.amount.replace('-', '−')} AAPL`)
    .waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const csv = await readFile(await (await download).path(), 'utf8')
  assert.match(csv, new RegExp(`^[^,]+,${last.number},orderFilled,AAPL,${last.amount},`, 'm'))
})

test('new postings appear by themselves; without operator rights only those of the own account', async (t) => {
  const { account } = await openStage()
  const page = await visit(t, '/ledger', { isOperator: false })
  const balances = page.getByRole('region', { name: 'Balances' })
  await balances.getByText('My account').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Proof' }).count(), 0)
  assert.equal(await balances.getByText('House').count(), 0)
  const postings = page.getByRole('region', { name: 'Postings' })
  await postings.getByText('Deposit', { exact: true }).waitFor()
  await account.orders.place({
    symbol: 'KO',
    qty: '2',
    side: 'buy',
    type: 'market',
  } as never)
  await postings.getByText(/Bought 2 KO/).waitFor()
  await balances.getByRole('button', { name: /^KO 2/ }).waitFor()
})

// Builds the dashboard.
await openStage()
const node = await startNode()
const broker = await startBrokerOn(node.url)
after(async () => {
  await broker.stop()
  await node.close()
})

test('on a real chain, an unmatched transfer is resolved on the screen, which also names the wallet that redeems', async (t) => {
  await buyShares(broker, 'AAPL', '2')
  await waitForCompletion(broker, await mint(broker, '1'))
  const page = await newPage(t)
  const path = `/sim/v1/worlds/main/users/${broker.userName}/link`
  const { body } = await callAsOperator(broker, 'POST', path, { operator: true })
  await page.goto(body.url)
  await page.getByRole('button', { name: /Sign in/ }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tokenization' }).click()
  const card = page.getByRole('region', { name: 'Unmatched transfers' })
  await card.getByText('None').waitFor()
  await page.getByText(new RegExp(`To redeem, send tokens to ${REDEMPTION_WALLET}`, 'i')).waitFor()

  await send(node, PARTICIPANT_KEY, await contractOn(node), { to: STRANGER, units: ONE })
  await send(node, STRANGER_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 8n })
  await card.getByText('no account has minted', { exact: false }).waitFor()
  await card.getByRole('button', { name: 'Resolve …' }).click()
  await card.getByLabel('Result of the review').fill('sent back to its owner')
  await card.getByRole('button', { name: 'Resolve the transfer' }).click()
  await card.getByText('None').waitFor()
  assert.deepEqual(await unmatchedTransfers(broker), [])
})
