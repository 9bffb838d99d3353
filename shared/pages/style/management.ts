// The web UI's frame and what only its pages show.
export const managementStyle = `
`;
