import type { JSX } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { useReadings } from '../../live/reading.ts'
import { useRowKeys } from '../../parts/row-keys.ts'
import { worldName } from '../../session/selection.ts'
import { AuditCard } from './audit-card.tsx'
import { followEntries } from './audit-log.ts'
import { AuditLogCard } from './audit-log-card.tsx'
import { BackupsCard } from './backups-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import './operator.css'
import { audit, backup, readings, server } from './readings.ts'
import { ServerCard } from './server-card.tsx'
import { StoreCard } from './store-card.tsx'

/** Whether the server is well, and what was done to it. */
export default function Operator(): JSX.Element {
  const world = worldName.value
  useReadings(readings, followEntries)
  useRowKeys()
  useEffect(() => {
    audit.clear()
    backup.clear()
  }, [world])
  useLayoutEffect(() => addKeys([{ key: 'r', does: 'Run the audit', run: () => void audit.run() }]), [])
  const version = server.value.value?.metrics.version
  return (
    <>
      <div class="page-head">
        <h1>Operator</h1>
        {version !== undefined && <span class="chip">Quipu {version}</span>}
        <span class="chip">world {world}</span>
      </div>
      <div class="cols">
        <div class="stack">
          <ServerCard />
          <div class="two">
            <AuditCard />
            <BackupsCard />
          </div>
          <AuditLogCard />
        </div>
        <aside class="stack" aria-label="Storage and limits">
          <StoreCard />
          <LimitsCard />
        </aside>
      </div>
    </>
  )
}
