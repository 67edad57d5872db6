import assert from 'node:assert/strict'
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
import { newPage, openStage } from './stage.ts'

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
