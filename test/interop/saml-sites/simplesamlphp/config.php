<?php
// SimpleSAMLphp with its defaults and the settings that every installation needs. The environment names directory and address.
$root = getenv('SITE_ROOT');
$config = [
    'baseurlpath' => getenv('SITE') . '/',
    'certdir' => "$root/",
    'loggingdir' => "$root/",
    'datadir' => "$root/",
    'tempdir' => "$root/temporary",
    'secretsalt' => 'a-salt-that-is-used-in-this-test-alone',
    'auth.adminpassword' => 'nobody-logs-in-as-admin',
    'technicalcontact_email' => 'nobody@example.org',
    'timezone' => 'UTC',
    'logging.handler' => 'errorlog',
    'logging.level' => 4,
    'showerrors' => true,
    'store.type' => 'phpsession',
    'session.phpsession.savepath' => "$root/sessions",
    'metadata.sources' => [['type' => 'xml', 'file' => "$root/idp.xml"]],
];
