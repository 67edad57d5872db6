import { accessSuite } from './access-suite.ts'
import { openMemoryAccess } from './memory.ts'

accessSuite(async () => openMemoryAccess(), false)
