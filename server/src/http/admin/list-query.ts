// Paging alone, for the lists whose rows are not in api/ yet.
export { pagingQuery as pageQuery } from '../../../../api/fields.ts'
