/** Code, words, cause and resolution. One entry's words do not begin with its code. */
const REASONS: ReadonlyArray<readonly [id: string, code: string, cause: string, resolution: string]> = [
  [
    '5400',
    '5400 The authentication failed',
    'The request reached the end of the policy without success.',
    'Look for the first failed step in the details of this authentication.',
  ],
  [
    '5405',
    '5405 The RADIUS request was dropped',
    'The request could not be processed.',
    'Check that the network device is known and sends valid requests.',
  ],
  [
    '5417',
    '5417 A dynamic authorization failed',
    'The network device did not take a change of authorization.',
    'Check the port and the shared secret for dynamic authorization.',
  ],
  [
    '5434',
    '5434 The device failed several times in a row',
    'The same device failed again and again with the same scenario.',
    'Mend the first failure; the device is tried less often until then.',
  ],
  [
    '11014',
    '11014 A RADIUS attribute has a wrong length',
    'The network device sent a packet that breaks the protocol.',
    'Update the software of the network device.',
  ],
  [
    '11038',
    '11038 The accounting request has a wrong authenticator',
    'The shared secrets of accounting differ.',
    'Set the same secret on both sides.',
  ],
  [
    '11309',
    '11309 The method is not allowed',
    'The allowed protocols do not hold the method that the device offered.',
    'Allow the method, or set up the device for an allowed one.',
  ],
  [
    '11514',
    '11514 The inner method ended early',
    'The device stopped inside its tunnel.',
    'Read the log of the device.',
  ],
  [
    '12153',
    '12153 The device refused the provisioning',
    'The device does not accept what the NAC would set up.',
    'Provision the device by hand.',
  ],
  [
    '12308',
    '12308 The device sent a failure of its own',
    'The device ended the tunnel with a result of failure.',
    'Check user name and password on the device.',
  ],
  [
    '12309',
    '12309 The tunnel could not be made',
    'The protected handshake failed.',
    'Compare the TLS versions of both sides.',
  ],
  [
    '12503',
    '12503 The method is switched off',
    'EAP-TLS is not among the allowed protocols.',
    'Allow EAP-TLS for this policy set.',
  ],
  [
    '12507',
    '12507 The certificate could not be read',
    'The certificate of the device is damaged.',
    'Issue a new certificate for the device.',
  ],
  [
    '12513',
    '12513 The certificate has no usable name',
    'The field that names the user is empty.',
    'Choose another field in the certificate profile.',
  ],
  [
    '12515',
    '12515 A certificate in the chain has expired',
    'An authority between device and root is out of date.',
    'Renew the authority, and its certificate on the NAC.',
  ],
  [
    '12517',
    '12517 A certificate in the chain was revoked',
    'The list of revoked certificates names an authority of the chain.',
    'Issue a new certificate for the device.',
  ],
  [
    '12519',
    '12519 The signature of the certificate is wrong',
    'The certificate was changed, or another authority has signed it.',
    'Issue a new certificate for the device.',
  ],
  [
    '12520',
    '12520 The handshake ended because the device sent an alert',
    'The device does not accept the certificate that the NAC showed.',
    'Install the authority of the NAC on the device.',
  ],
  [
    '12521',
    '12521 An authority is not trusted for devices',
    'The authority is known, but not for this purpose.',
    'Mark the authority as trusted for the authentication of devices.',
  ],
  [
    '12804',
    '12804 The TLS message could not be read',
    'One side broke the protocol.',
    'Update the software of the device.',
  ],
  [
    '12930',
    '12930 The device asked for the wrong version',
    'The device offers no version that the NAC speaks.',
    'Turn a common version on.',
  ],
  [
    '15015',
    '15015 No policy set matches',
    'No condition of any policy set is true for this request.',
    'Add a policy set, or mend its condition.',
  ],
  [
    '15024',
    '15024 The password method is not known',
    'The request names a method that no store can check.',
    'Change the method on the network device.',
  ],
  [
    '22017',
    '22017 The chosen store rejects everyone',
    'The identity policy ends in a store that denies all access.',
    'Check the conditions of the identity policy.',
  ],
  [
    '22028',
    '22028 The authentication failed and was rejected',
    'The advanced options of the policy reject after a failure.',
    'Look for the failure before this step.',
  ],
  [
    '22045',
    '22045 The store is not reachable',
    'The identity store did not answer.',
    'Check the connection between NAC and store.',
  ],
  [
    '24371',
    '24371 The name is known twice',
    'Two users of the directory have this name.',
    'Use a name with its domain.',
  ],
  [
    '24414',
    '24414 The account has expired',
    'The directory says that the account is out of date.',
    'Extend the account in the directory.',
  ],
  [
    '24423',
    '24423 The machine has not authenticated before',
    'The NAC remembers no machine authentication for this device.',
    'Restart the device while it is connected.',
  ],
  [
    '24485',
    '24485 The machine password is wrong',
    'The directory holds another password for this machine.',
    'Join the machine to the domain again.',
  ],
  [
    '90001',
    'A network device sends too many requests',
    'The rate of one device is far above the others.',
    'Look for a loop or a device that fails again and again.',
  ],
];

/** The catalogue of failure reasons in the shape of Cisco ISE's FailureReasons, in words of our own. */
export const FAILURE_REASONS_XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><failureReasonList>${REASONS.map(
  ([id, code, cause, resolution]) =>
    `<failureReason id="${id}"><code>${code}</code><cause>${cause}</cause><resolution>${resolution}</resolution></failureReason>`,
).join('')}</failureReasonList>`;
