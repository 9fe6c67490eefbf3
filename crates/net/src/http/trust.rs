//! Whose certificates are believed. Roots are read from files, so before rights are given up.

use crate::NetError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;

/// Whom to believe.
#[derive(Debug, Clone)]
pub struct Trust {
    verified: Verified,
    /// Nobody: any certificate is taken.
    pub(super) is_unchecked: bool,
}

#[derive(Debug, Clone)]
enum Verified {
    Roots(Arc<RootCertStore>),
    Nothing,
    /// There are none, for this reason.
    Missing(String),
}

impl Trust {
    /// The roots that this system trusts (`SSL_CERT_FILE` and `SSL_CERT_DIR` are followed, as with other programs). Where there
    /// are none, this is told when they are needed.
    #[must_use]
    pub fn of_system() -> Self {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (taken, _) = roots.add_parsable_certificates(found.certs);
        if taken > 0 {
            return Self::roots(roots);
        }
        let why = found.errors.first().map_or_else(
            || "none were found".to_owned(),
            |error| format!("they cannot be read ({error})"),
        );
        Self {
            verified: Verified::Missing(format!(
                "this system trusts no certificate authorities ({why}): install its package of CA certificates, or name a file with --ca-file"
            )),
            is_unchecked: false,
        }
    }

    /// The certificates in this PEM file, and no others.
    ///
    /// # Errors
    /// It cannot be read, or holds none.
    pub fn of_file(path: &Path) -> Result<Self, NetError> {
        let cannot = |why: String| NetError::Tls(format!("cannot use {}: {why}", path.display()));
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(path).map_err(|e| cannot(e.to_string()))? {
            let certificate = certificate.map_err(|e| cannot(e.to_string()))?;
            roots.add(certificate).map_err(|e| cannot(e.to_string()))?;
        }
        match roots.is_empty() {
            true => Err(cannot("it holds no certificate in PEM".to_owned())),
            false => Ok(Self::roots(roots)),
        }
    }

    /// Anybody: for a host whose certificate cannot be checked. What is measured stays true of whoever answers.
    #[must_use]
    pub fn unchecked() -> Self {
        Self {
            verified: Verified::Nothing,
            is_unchecked: true,
        }
    }

    fn roots(roots: RootCertStore) -> Self {
        Self {
            verified: Verified::Roots(Arc::new(roots)),
            is_unchecked: false,
        }
    }

    /// How a connection is encrypted; `protocols` are offered in this order (ALPN, RFC 7301).
    pub(super) fn client(&self, protocols: &[&str]) -> Result<Arc<ClientConfig>, NetError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| NetError::Tls(error.to_string()))?;
        let mut config = match &self.verified {
            Verified::Roots(roots) => builder.with_root_certificates(roots.clone()),
            Verified::Missing(why) => return Err(NetError::Tls(why.clone())),
            Verified::Nothing => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anybody(provider))),
        }
        .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(Arc::new(config))
    }
}

/// Takes any certificate, and lets only its holder speak.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
