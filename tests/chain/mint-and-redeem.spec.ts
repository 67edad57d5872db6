import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { call } from '../broker.ts'
import {
  audit,
  balanceOn,
  bought,
  brokerOn,
  completed,
  contractOn,
  dustOf,
  ISSUER_KEY,
  mint,
  nodes,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  requests,
  run,
  STRANGER,
  STRANGER_KEY,
  send,
  shares,
  supplyOn,
  unmatchedTransfers,
  until,
} from './stage.ts'

for (const [name, start] of nodes)
  describe(name, async () => {
    const node = await start()
    const broker = await brokerOn(node.url)
    after(async () => {
      await broker.stop()
      await node.close()
    })

    test('a share becomes a token in the wallet', async () => {
      await bought(broker, 'AAPL', '3')
      const done = await completed(broker, await mint(broker, '1.5'))
      assert.match(done.tx_hash, /^0x[0-9a-f]{64}$/)
      const contract = await contractOn(node)
      assert.equal(await balanceOn(node, contract, PARTICIPANT), (ONE * 3n) / 2n)
      assert.equal(await shares(broker), '1.5')
      const receipt = await node.request('eth_getTransactionReceipt', [done.tx_hash])
      assert.equal((receipt as { status: string }).status, '0x1')
    })

    test('a participant reads the contract of a token, and where to send it', async () => {
      const { body } = await call(
        broker,
        'GET',
        '/v2/tokenization/tokens?underlying_symbol=AAPL&issuer=xstocks',
      )
      const tokens: Record<string, unknown>[] = body
      assert.deepEqual(
        tokens.find((token) => token['network'] === 'ethereum'),
        {
          issuer: 'xstocks',
          underlying_symbol: 'AAPL',
          token_symbol: 'AAPLx',
          network: 'ethereum',
          shares_per_token: '1/1',
          redemption_wallet: REDEMPTION_WALLET,
          contract_address: await contractOn(node),
          decimals: 18,
        },
      )
      const base = tokens.find((token) => token['network'] === 'base')
      assert.deepEqual([base?.['contract_address'], base?.['redemption_wallet']], [null, null])
    })

    test('sent to the redemption wallet it becomes a share again, rounded down, and is burned', async () => {
      const contract = await contractOn(node)
      const units = 450_574_852_280_275_235n
      const txHash = await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units })
      await until('the shares are back', async () => (await shares(broker)) === '1.950574852')
      const [redeem] = await requests(broker, 'redeem')
      assert.equal(redeem.tx_hash, txHash)
      assert.equal(redeem.qty, '0.450574852')
      assert.equal(redeem.wallet_address, PARTICIPANT)
      const left = (ONE * 3n) / 2n - 450_574_852_000_000_000n
      await until('they are burned', async () => (await supplyOn(node, contract)) === left)
      // The dust stays where it was sent to.
      assert.equal(await balanceOn(node, contract, REDEMPTION_WALLET), 280_275_235n)
      assert.equal(await dustOf(broker, 'AAPLx'), 280_275_235n)
      assert.deepEqual((await audit(broker)).problems, [])
    })

    test('what a stranger sends waits for somebody to look at it', async () => {
      const contract = await contractOn(node)
      await send(node, PARTICIPANT_KEY, contract, { to: STRANGER, units: ONE / 4n })
      const txHash = await send(node, STRANGER_KEY, contract, { to: REDEMPTION_WALLET, units: ONE / 4n })
      const [arrival] = await until('it is on the list', async () => {
        const list = await unmatchedTransfers(broker)
        return list.length > 0 && list
      })
      assert.equal(arrival.tx_hash, txHash)
      assert.equal(arrival.wallet_address, STRANGER)
      assert.equal(arrival.token_symbol, 'AAPLx')
      assert.equal(arrival.problem, 'no account has minted to this wallet')
      assert.equal(await shares(broker), '1.950574852')
      assert.deepEqual((await audit(broker)).problems, [])
    })

    test('tokens that the books know nothing of are found by the audit', async () => {
      const contract = await contractOn(node)
      // mint(address,uint256,bytes32), by the issuer's key and past the broker.
      const data = `0x1e458bee${PARTICIPANT.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}${'7'.repeat(64)}`
      await run(node, ISSUER_KEY, contract, data)
      const { sound, problems } = await audit(broker)
      assert.equal(sound, false)
      assert.match(
        problems.join(),
        /supply of AAPLx on ethereum: \d+1 units on the chain, \d+0 in the ledger/,
      )
    })
  })
