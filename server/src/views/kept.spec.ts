import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { encode } from '@quipu/core'
import type { Entry } from '../journal/journal.ts'
import { Projection } from './projection.ts'
import { SNAPSHOT_FORMAT } from './snapshot.ts'
import { TABLES_FORMAT } from './tables.ts'

// Files of an earlier version are used if they have the current format. So the format must be raised when the same
// events lead to other data. These digests per format detect that.
const states: Readonly<Record<number, string>> = {
  2: '4053116408e1b92fd489d21ad4bd3c56cbdad13c9ab361fad72b1a1f046d9719',
  3: 'd06f9be9fc4d7cdc62e0b4ee7b61d3b4c90be3ef84492a118165d40975e4f203',
  4: '33c068d6db24ec9cf6cdff8f31d2f8156ef9815c79a8a5192041aecd540c7dcb',
  5: '0cd2db489878c54d8ac5664e94861d31369deac9e5c9d25a62e64e5988a3cd1a',
  6: '0cd2db489878c54d8ac5664e94861d31369deac9e5c9d25a62e64e5988a3cd1a',
  7: '56d421fbfc0f25d45bccef09119a9e233a223e41a24587ef1c4f82f5704d742d',
  8: 'abe13f3c6f475645a9a48b14e3e6f1ab36fae3d76cc2ef91e24035efd61378b0',
  9: '04ccb96de5dec9753e1a7210164488963a99a107fb7500fd4efebbf9d6dcb4ea',
  10: 'e015fd759fb930f1c6532e32b13ee209041a33155aee8711f687c260535d298d',
  11: '282c63060fdd80ffc59328df68df9f78b0665350027f332367adb475d7aee5ea',
  12: 'bebcb1e421e6c0edd68e570d37a34035e3da275796a4589e65250f19908c3bf7',
  13: '1408d0e1bf3f9af783eec484bc66b5e1b9e32332fb4e380214de2f5e455a4a1f',
  14: '91413a28bfde61329c92b297923218fc2d13838bdbb5f7bd506af558e67a7530',
  15: 'd25924726ab38159451439658404c33d31fd39919ac13387406b451119633446',
  16: '93f388d120153e0df9144e9f570b20aa98269be46efe2fe3534fe37f59d66054',
  17: '7097eaedb432d9294333375ea4902e8d98f736244fd6c82cc6c9843a113f4546',
  18: '147d8b4193c2d1b8fdc5eb77ae26cecc6198f92a458b475cadf976c7ce3f2940',
  19: 'ac5d16ac5fb03f7771df7e78ee8d270ca3effe629db3879da018a539dee474d1',
  20: '73f8ca286572162eb7882734a03b86ff89367c4c28e65ee3031c627de7e75c3d',
  21: 'e242a792c72acf37aa42c30b574248e1625ce2bcab15ae3ef3dcde6ce80ad3b1',
  22: 'bf60ba1b5707094ed1222ec8d5718f43ffb514fd809f23601da026d93cd3b134',
  23: 'd16d02cc245f1bb6952ed0e75d46b1b717a76fad39adcbe9e097e2bde2a27e95',
  24: 'be115eafb97990e2e209ebba387d443a420d75bc59f7f742f09eaafc9139b4a1',
}
const rows: Readonly<Record<number, string>> = {
  1: '71da31a5cfa780582c4599b33da3f8887b08223b98ac015710922177e7903ed8',
  2: 'e59dfa166d7d372aac412d95532308f9219168641254039f5920933522ac4f5d',
  3: 'e59dfa166d7d372aac412d95532308f9219168641254039f5920933522ac4f5d',
  4: 'ad3d92dedea2818e5b569e703ecff0351561c2c79dbce3214d941f113203684c',
  5: '8f5244b2f79e66cb4e818ee659a379628ce8da407fdaff89bef6e67e82ed8189',
  6: 'c4b44a2972123df78db5d99df1718a8c84aa164a50167f3bdcffb551d7ce5a10',
  // The story has no dividends and no splits, so the digest is that of format 6.
  7: 'c4b44a2972123df78db5d99df1718a8c84aa164a50167f3bdcffb551d7ce5a10',
  8: '34dc4ecfdfab62262b35b4ab7f5038ba7a802143be34b466419642b4842745f8',
}

const entries = readFileSync(new URL('kept/story.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Entry)

const digest = (value: unknown): string => createHash('sha256').update(encode(value)).digest('hex')

test('a kept journal leads to the state of this snapshot format', () => {
  const projection = new Projection()
  projection.take(entries)
  assert.equal(
    digest(projection.state),
    states[SNAPSHOT_FORMAT],
    'events lead to a different state: raise SNAPSHOT_FORMAT in snapshot.ts and add the digest here',
  )
})

test('a kept journal leads to the rows of this table format', () => {
  const { orders, requests, history } = new Projection().take(entries)
  assert.ok(orders.length > 0 && requests.length > 0 && history.length > 0)
  assert.equal(
    digest([orders, requests, history]),
    rows[TABLES_FORMAT],
    'events lead to different rows: raise TABLES_FORMAT in tables.ts and add the digest here',
  )
})
