export const document = () => '';
