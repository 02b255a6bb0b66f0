// For the records whose rows are not in api/ yet.
export { pageOf } from '../../../../api/fields.ts'
