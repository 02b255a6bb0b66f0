// What is done to a whole database, and the seals of its service, on PostgreSQL.
import { testOnPostgres } from './store-tests.ts'

await testOnPostgres(['store/offline', ['reencrypt']], ['store/audit', ['sealer']])
